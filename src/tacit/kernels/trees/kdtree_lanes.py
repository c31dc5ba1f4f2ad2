"""Distances of one query to 16 points or to 8 boxes at once, in vector registers.

Idea. Numba does not turn a loop over points into vector instructions when the loop over
coordinates is inside it, and that loop is where a search spends its time. So the loop is
written as LLVM vector code: portable (LLVM splits the vectors to what the processor
has), about ten times faster than the plain loop.

``points`` and ``boxes`` return a bit mask of the lanes that are near enough. ``points`` writes the
distances of its lanes to ``out``; ``boxes`` writes the bound that a search puts its boxes in order
by, f(distance) - weight, and infinity where a box is not near enough:

* kind 0: squared Euclidean d2, near if d2 < limit + weight
* kind 1: squared Euclidean d2, near if sqrt(d2) < limit + weight (without the root)
* kind 2: Manhattan d1, near if d1 < limit + weight

``points`` reads ``LANES`` values per coordinate, ``boxes`` reads ``ARMS`` lower then
``ARMS`` upper bounds per coordinate. Arguments are addresses (``array.ctypes.data``),
the number of coordinates (at least one) and the limit. ``least`` says which of ``ARMS`` bounds is
the smallest, ``first`` which bit of a mask is the lowest.

Invariant. The lanes never mix: after coordinate t, lane i of the running total is the
distance of point (or box) i over the coordinates 0 .. t.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from tacit.kernels.trees.widths import ARMS, LANES

Near: TypeAlias = Callable[[int, int, int, int, float, int], int]
"""(data, query, coordinates, weight, limit, out) -> mask of the lanes that are near."""
Code: TypeAlias = Callable[[object, ir.IRBuilder, object, list[ir.Value]], ir.Value]
"""What numba calls to write the instructions of an intrinsic."""

SOME = 5
"""Coordinates after which it is looked whether any lane can still be near."""
ALIGN = 8
"""Arrays of numbers begin at multiples of 8 bytes; nothing more may be assumed."""

# a product and a sum may become one instruction; the sign of zero does not matter
_FUSED = ("contract", "nsz")

_REAL = ir.DoubleType()
_INDEX = ir.IntType(64)


def _all_lanes(
    builder: ir.IRBuilder,
    value: ir.Value,
    lanes: int,
) -> ir.Value:
    """The same number in every lane."""
    vector = ir.VectorType(value.type, lanes)
    empty = ir.Constant(vector, ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    first = builder.insert_element(empty, value, zero)
    # a shuffle that takes lane 0 everywhere is how LLVM says "broadcast"
    places = ir.VectorType(ir.IntType(32), lanes)
    return builder.shuffle_vector(first, empty, ir.Constant(places, [0] * lanes))


def _larger(
    builder: ir.IRBuilder,
    a: ir.Value,
    b: ir.Value,
) -> ir.Value:
    """Lane by lane a where it is larger, else b."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _gap(
    builder: ir.IRBuilder,
    data: ir.Value,
    step: ir.Value,
    x: ir.Value,
    boxes: bool,
    zero: ir.Value,
) -> ir.Value:
    """How far the query is from each lane along one coordinate (signed for points)."""

    def load(place: ir.Value) -> ir.Value:
        return builder.load(builder.gep(data, [place]), align=ALIGN)

    if not boxes:
        return builder.fsub(load(step), x, flags=_FUSED)
    # coordinate t of boxes has its lower ends in vector 2t, its upper ends in 2t + 1
    one = ir.Constant(_INDEX, 1)
    low = builder.shl(step, one)
    high = builder.add(low, one)
    below = builder.fsub(load(low), x)
    above = builder.fsub(x, load(high))
    outside = _larger(builder, below, above)
    return _larger(builder, outside, zero)


def _term(
    builder: ir.IRBuilder,
    gap: ir.Value,
    kind: int,
    zero: ir.Value,
) -> ir.Value:
    """What one coordinate adds to the distance: |gap| or its square."""
    if kind == 2:
        negative = builder.fcmp_ordered("<", gap, zero)
        return builder.select(negative, builder.fneg(gap), gap)
    return builder.fmul(gap, gap, flags=_FUSED)


def _code(boxes: bool, kind: int) -> Code:
    """The writer of the instructions: a loop over coordinates, then the comparison."""
    lanes = ARMS if boxes else LANES
    vector = ir.VectorType(_REAL, lanes)
    zero = ir.Constant(vector, [0.0] * lanes)

    def code(
        context: object,
        builder: ir.IRBuilder,
        signature: object,
        arguments: list[ir.Value],
    ) -> ir.Value:
        data, query, d, weight, limit, out = arguments
        data = builder.inttoptr(data, vector.as_pointer())
        query = builder.inttoptr(query, _REAL.as_pointer())
        weight = builder.inttoptr(weight, vector.as_pointer())
        out = builder.inttoptr(out, vector.as_pointer())

        weight = builder.load(weight, align=ALIGN)
        reach = builder.fadd(weight, _all_lanes(builder, limit, lanes))
        if kind == 1:
            # squares are compared; a negative reach must not become a positive square
            reach = _larger(builder, reach, zero)
            reach = builder.fmul(reach, reach)

        def add_up(start: ir.Value, stop: ir.Value, total: ir.Value) -> ir.Value:
            """The loop over coordinates; its counter and total stay in registers."""
            before = builder.block
            loop = builder.append_basic_block()
            done = builder.append_basic_block()
            builder.branch(loop)
            builder.position_at_end(loop)
            step = builder.phi(_INDEX)
            running = builder.phi(vector)
            coordinate = builder.load(builder.gep(query, [step]))
            x = _all_lanes(builder, coordinate, lanes)
            gap = _gap(builder, data, step, x, boxes, zero)
            term = _term(builder, gap, kind, zero)
            added = builder.fadd(running, term, flags=_FUSED)
            following = builder.add(step, ir.Constant(_INDEX, 1))
            step.add_incoming(start, before)
            step.add_incoming(following, loop)
            running.add_incoming(total, before)
            running.add_incoming(added, loop)
            more = builder.icmp_signed("<", following, stop)
            builder.cbranch(more, loop, done)
            builder.position_at_end(done)
            return added

        # a total only grows: where no lane is near after the first coordinates none will be
        some = ir.Constant(_INDEX, SOME)
        is_few = builder.icmp_signed("<=", d, some)
        few = builder.select(is_few, d, some)
        part = add_up(ir.Constant(_INDEX, 0), few, zero)
        is_near = builder.fcmp_ordered("<", part, reach)
        mask = builder.bitcast(is_near, ir.IntType(lanes))
        is_far = builder.icmp_unsigned("==", mask, ir.Constant(mask.type, 0))
        first_part = builder.block
        other_part = builder.append_basic_block()
        end = builder.append_basic_block()
        builder.cbranch(builder.or_(is_few, is_far), end, other_part)
        builder.position_at_end(other_part)
        whole = add_up(some, d, part)
        last_part = builder.block
        builder.branch(end)
        builder.position_at_end(end)
        added = builder.phi(vector)
        added.add_incoming(part, first_part)
        added.add_incoming(whole, last_part)

        # the comparison with the reach becomes the mask, and distances or bounds go out
        near = builder.fcmp_ordered("<", added, reach)
        if boxes:
            root = _root(builder, added) if kind == 1 else added
            bound = builder.fsub(root, weight)
            nowhere = ir.Constant(vector, [float("inf")] * lanes)
            builder.store(builder.select(near, bound, nowhere), out, align=ALIGN)
        else:
            builder.store(added, out, align=ALIGN)
        mask = builder.bitcast(near, ir.IntType(lanes))
        return builder.zext(mask, _INDEX)

    return code


def _root(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The square root of each lane."""
    name = f"llvm.sqrt.v{value.type.count}f64"
    kind = ir.FunctionType(value.type, [value.type])
    return builder.call(get_or_insert_function(builder.module, kind, name), [value])


def _least_code(
    context: object,
    builder: ir.IRBuilder,
    signature: object,
    arguments: list[ir.Value],
) -> ir.Value:
    """The smallest of the bounds by halves, then the last lane that has it."""
    at, limit = arguments
    vector = ir.VectorType(_REAL, ARMS)
    bounds = builder.load(builder.inttoptr(at, vector.as_pointer()), align=ALIGN)
    smallest = bounds
    apart = ARMS // 2
    while apart:
        turned = [(lane + apart) % ARMS for lane in range(ARMS)]
        places = ir.Constant(ir.VectorType(ir.IntType(32), ARMS), turned)
        other = builder.shuffle_vector(smallest, smallest, places)
        is_less = builder.fcmp_ordered("<", other, smallest)
        smallest = builder.select(is_less, other, smallest)
        apart //= 2
    # below the limit, too: one comparison less for the search
    is_below = builder.fcmp_ordered("<", smallest, _all_lanes(builder, limit, ARMS))
    is_least = builder.and_(builder.fcmp_ordered("==", bounds, smallest), is_below)
    mask = builder.zext(builder.bitcast(is_least, ir.IntType(ARMS)), _INDEX)
    clear = builder.ctlz(mask, ir.Constant(ir.IntType(1), 0))
    return builder.sub(ir.Constant(_INDEX, 63), clear)


@intrinsic
def least(typing: object, at: types.Type, limit: types.Type) -> tuple[types.Type, Code]:
    """The lane of the smallest of ``ARMS`` bounds, of equal ones the last; -1: none is below the
    limit.
    """
    return types.int64(types.uintp, types.float64), _least_code


def _first_code(
    context: object,
    builder: ir.IRBuilder,
    signature: object,
    arguments: list[ir.Value],
) -> ir.Value:
    """How many bits are zero before the first that is not."""
    (mask,) = arguments
    return builder.cttz(mask, ir.Constant(ir.IntType(1), 0))


@intrinsic
def first(typing: object, mask: types.Type) -> tuple[types.Type, Code]:
    """The lowest bit that is set, of a mask that is not zero."""
    return types.int64(types.int64), _first_code


def _make(boxes: bool, kind: int) -> Near:
    """The intrinsic for points or boxes and one kind of distance."""
    code = _code(boxes, kind)

    @intrinsic
    def near(
        typing: object,
        data: types.Type,
        query: types.Type,
        d: types.Type,
        weight: types.Type,
        limit: types.Type,
        out: types.Type,
    ) -> tuple[types.Type, Code]:
        address = types.uintp
        signature = types.int64(
            address,
            address,
            types.int64,
            address,
            types.float64,
            address,
        )
        return signature, code

    near_lanes: Near = near
    return near_lanes


points_0, points_1, points_2 = (_make(False, kind) for kind in range(3))
boxes_0, boxes_1, boxes_2 = (_make(True, kind) for kind in range(3))
