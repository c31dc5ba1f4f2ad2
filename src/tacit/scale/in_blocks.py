"""Steps of a plan that form their groups in blocks of a 2^d-tree.

Microaggregation looks at all its columns at once. Where these do not fit (``any_size``), or where
somebody asks for it (``asked_for``), groups are formed inside blocks, and ``InBlocks.mask`` runs
the plan so: look, row order and manifest are those of every release. Groups then differ from those
of memory, so that the manifest keeps the choice (``IN_BLOCKS``), and ``tacit verify`` repeats it in
whatever memory there is, here or on a cluster. Not done in blocks, but refused for want of memory:
categories and dates that are masked (a median or mode of a block would be another), weighted means,
missing codes, persons and households.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from tacit.base.errors import InputError, ParameterError
from tacit.data.microdata import Kind, Microdata, Role
from tacit.plan.plan import Plan, Table
from tacit.protect.base import Protector
from tacit.protect.file_parts import has_units
from tacit.protect.parted import strata_columns
from tacit.scale.block_step import GROUPED, Cut, Room, masked_in_blocks, refuse_cuts
from tacit.scale.partition.leaf_size import leaf_size
from tacit.scale.run_result import BlockRelease

BLOCKS = "blocks"
"""The entry by which a manifest of ``tacit large protect`` of earlier releases is known."""
IN_BLOCKS = "in_blocks"
"""Where a manifest says which steps were done in blocks, how large these may be, and what they are
cut on where that is not what is masked."""
LEAF = 10_000
"""Records of a block at most, unless somebody says so."""


def runs_in_blocks(method: Protector, data: Microdata) -> bool:
    """Do groups formed inside blocks keep the meaning of this step on this file?"""
    if method.scales != "blocks" or method.needs_whole_file() is not None:
        return False
    columns = [data.schema[name] for name in method.touches(data)]
    plain = all(one.scale is Kind.continuous and not one.missing for one in columns)
    weighted = getattr(method, "weighted", False) and data.schema.names(
        role=Role.weight
    )
    alone = not strata_columns(method) and not has_units(data)
    return plain and not weighted and alone


def asked_for(
    plan: Plan,
    data: Microdata,
    leaf: int | Literal["auto"],
    room: Room,
    *,
    split_on: tuple[str, ...] = (),
    price: int = 0,
) -> InBlocks:
    """Every step that forms groups does so in blocks of at most ``leaf`` records, as was asked.

    Raises where no step can: whoever asks for blocks must not get a release without them.

    Parameters
    ----------
    plan : Plan
        What is done to the file.
    data : Microdata
        The file.
    leaf : int or "auto"
        L: at most so many records in a block.
    room : Room
        Memory, folder and workers.
    split_on : tuple of str
        Columns that blocks are cut on, numbers or categories; what a step masks, unless given.
    price : int
        Compare the loss with that of no blocks on a sample of so many records.
    """
    data = plan.with_roles(data)
    steps = enumerate(zip(plan.steps, plan.protectors(), strict=True), start=1)
    grouped = [
        number
        for number, (step, method) in steps
        if step.method == GROUPED and runs_in_blocks(method, data)
    ]
    if not grouped:
        raise ParameterError(
            "--blocks: no step of the plan forms groups of numbers by distance (microaggregation "
            "with the partitions mdav, vmdav or mu-approx, of numbers without missing codes, in "
            "a file of one row per person); leave --blocks out"
        )
    refuse_cuts(data, split_on)
    cuts = dict.fromkeys(grouped, Cut(leaf, split_on))
    return InBlocks(cuts, room, asked=True, price=price)


@dataclass(frozen=True)
class InBlocks:
    """The steps of a plan that are done in blocks, by their number from 1."""

    cuts: Mapping[int, Cut]
    room: Room
    asked: bool = False
    """Somebody asked for blocks, whatever would fit."""
    price: int = 0
    """Records of the sample on which the loss is compared with that of no blocks; 0: it is not."""
    figures: dict[int, BlockRelease] = field(default_factory=dict, compare=False)
    """Of the steps that were done."""

    def entry(self) -> Table:
        """What the manifest keeps, once the steps are done."""
        return {IN_BLOCKS: {str(n): self._kept(n, cut) for n, cut in self.cuts.items()}}

    def _kept(self, number: int, cut: Cut) -> object:
        # the size that was chosen, so that another version of 'auto' verifies the same
        leaf = self.figures[number].leaf if cut.leaf == "auto" else cut.leaf
        return {"leaf": leaf, "split_on": [*cut.split_on]} if cut.split_on else leaf

    def sentence(self, plan: Plan) -> str:
        """What is done otherwise than in memory, and why."""
        names = ", ".join(f"{n} ({plan.steps[n - 1].method})" for n in self.cuts)
        cut = next(iter(self.cuts.values()))
        if self.asked:
            why = f"groups of step {names} are"
        else:
            limit = f"{self.room.memory / 1e9:.3g} GB"
            why = f"the columns of step {names} do not fit in {limit}: groups are"
        most = (
            "as many near records as can be paid for"
            if cut.leaf == "auto"
            else f"at most {cut.leaf:,} near records"
        )
        on = f", cut on {', '.join(cut.split_on)}" if cut.split_on else ""
        return (
            f"{why} formed inside blocks of {most} (2^d-tree{on}), which loses "
            "a little more and gives other bytes than without blocks; the manifest says so"
        )

    def sizes(self, plan: Plan, data: Microdata, records: int) -> dict[int, int]:
        """The size of the blocks of each step, from which its cost is known."""
        methods, found = plan.protectors(), {}
        for number, cut in self.cuts.items():
            columns = len(methods[number - 1].touches(data))
            leaf = cut.leaf
            # the least block counts for nothing among thousands
            found[number] = leaf_size(records, columns, 2) if leaf == "auto" else leaf
        return found

    def afterwards(self) -> list[str]:
        """What the blocks were, and their price where somebody asked for it."""
        said = []
        for number, done in self.figures.items():
            kept = f", {done.resumed_bins} bins of an earlier run kept"
            loss = f"; loss (100 SSE/SST) {done.loss:.4f}"
            said.append(
                f"Step {number}: {done.blocks:,} blocks of {done.smallest:,} to "
                f"{done.largest:,} records{kept if done.resumed_bins else ''}"
                f"{'' if math.isnan(done.loss) else loss}."
            )
            if self.price:
                said.append(_price_of(done))
        return said

    @classmethod
    def of(cls, manifest: Table, source: object, room: Room) -> InBlocks | None:
        """As a manifest says it; None: no step was."""
        try:
            large = manifest.get(BLOCKS)
            if large is not None:
                # one step, all of it in blocks
                cut = Cut(
                    int(large["leaf"]),
                    tuple(large.get("split_on") or ()),
                    tuple(large.get("columns") or ()),
                    tuple(large.get("categorical") or ()),
                )
                return cls({1: cut}, room)
            entry = manifest.get(IN_BLOCKS)
            if entry is None:
                return None
            cuts = {int(step): _cut_of(said) for step, said in entry.items()}
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(f"{source}: its blocks cannot be read") from None
        return cls(cuts, room)

    def mask(
        self, plan: Plan, data: Microdata, outcomes: list[Table] | None = None
    ) -> Microdata:
        """``Plan.mask``, with these steps in blocks."""
        masked: Microdata = self.done(plan).mask(data, outcomes)
        return masked

    def done(self, plan: Plan) -> Plan:
        """The plan with these steps in blocks, for whoever runs it again."""
        # what is masked record by record is the same in blocks and without
        steps = [n for n in self.cuts if plan.steps[n - 1].method == GROUPED]
        return replace(plan, instead=dict.fromkeys(steps, self._masked))

    def _masked(self, number: int, method: Protector, data: Microdata) -> Microdata:
        """What one step makes of a file."""
        masked, self.figures[number] = masked_in_blocks(
            number, method, data, self.cuts[number], self.room, self.price
        )
        return masked


def _cut_of(said: object) -> Cut:
    """One step, as a manifest has it: its leaf alone, or with what it is cut on."""
    if isinstance(said, dict):
        return Cut(int(said["leaf"]), tuple(map(str, said["split_on"])))
    if not isinstance(said, int):
        raise TypeError
    return Cut(said)


def _price_of(done: BlockRelease) -> str:
    paid = done.price
    if paid is None:
        return (
            "The price of the blocks was not computed: only groups by MDAV with no parameter but k "
            "have a loss that can be compared."
        )
    return (
        f"Price of the blocks on {paid['sample']:,.0f} records: loss "
        f"{paid['loss_with_blocks']:.4f} in blocks of at most {paid['leaf']:,.0f}, "
        f"{paid['loss_without_blocks']:.4f} without."
    )
