"""Clusters of k persons with a limit on the delay: the oldest record is settled when it is due.

It takes the value of a remembered cluster whose box it lies in; else it forms a cluster with the
nearest waiting records of other persons; else it joins the nearest remembered cluster; else it is
withheld (``stream.filters.clusters`` has the definition). Of equal distances the earlier arrival
comes first, so that the result does not depend on how the search is done.

Invariant. The records that wait stand in order of arrival, and a cluster is formed only of k
distinct persons with l distinct confidential values.

State, in two flat arrays so that a copy is a backup: ``floats`` = table (slots, d + 3) of masked
columns, person, confidential value and time of arrival; centre, lowest, highest (reuse, d each);
moments (4, d). ``ints`` = head (see the names below), arrival numbers of those who wait (slots),
number and size of each remembered cluster (reuse each).
"""

import numpy as np

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.neighbours import centroid, weights
from tacit.kernels.stream.noise import NOMINAL, observe

# places in the head of the integer array
WAITING, ARRIVAL, GROUP, RECENT = range(4)
HEAD = 4
# places in the parameters
K, DIVERSITY, DELAY, REUSE, SCALE, PERSONS = range(6)
# a waiting row: the d masked columns, then person, confidential value and time of arrival
EXTRAS = 3
NOBODY = -1


def state(columns: int, slots: int, reuse: int) -> tuple[Floats, Ints]:
    """Fresh (floats, ints) for this many columns, waiting records and remembered clusters."""
    waiting = slots * (columns + EXTRAS)
    # of a cluster: centre, lowest and highest values; of a column: four running moments
    floats = np.zeros(waiting + 3 * reuse * columns + 4 * columns)
    return floats, np.zeros(HEAD + slots + 2 * reuse, dtype=np.int64)


@njit(cache=True, nogil=True, error_model="numpy")
def _apart(
    row: Floats,
    target: Floats,
    weight: Floats,
    missing: Floats,
    kinds: Ints,
) -> float:
    """Squared distance of two records, as in ``neighbours.distances``."""
    total = 0.0
    for j in range(len(kinds)):
        x = row[j]
        t = target[j]
        if t != t:
            total += missing[j] if x == x else 0.0
        elif kinds[j] == NOMINAL:
            differs = 0.0 if x == t else weight[j]
            total += differs if x == x else missing[j]
        else:
            cost = weight[j] * (x - t) * (x - t)
            total += cost if cost == cost else missing[j]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _distinct(persons: Floats, is_member: Bools, most: int) -> int:
    """Different known persons among the members, counted up to ``most``."""
    seen = np.empty(most)
    count = 0
    for i in range(len(persons)):
        if not is_member[i] or persons[i] != persons[i]:
            continue
        is_new = True
        for p in range(count):
            if seen[p] == persons[i]:
                is_new = False
                break
        if is_new:
            seen[count] = persons[i]
            count += 1
            if count == most:
                break
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def _sink(gaps: Floats, heap: Ints, size: int, at: int) -> None:
    """Entry ``at`` of the heap sinks while a child is nearer, or as near and earlier."""
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and _before(gaps, heap[other], heap[child]):
            child = other
        if not _before(gaps, heap[child], heap[at]):
            break
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _before(gaps: Floats, a: int, b: int) -> bool:
    return bool(gaps[a] < gaps[b] or (gaps[a] == gaps[b] and a < b))


@njit(cache=True, nogil=True, error_model="numpy")
def _gather(
    gaps: Floats,
    persons: Floats,
    secrets: Floats,
    k: int,
    diversity: int,
    is_member: Bools,
) -> None:
    """Mark the oldest and its nearest until there are k persons and enough confidential values.

    One record per person; whoever is not known counts for nobody and is taken only if oldest.
    """
    count = len(gaps)
    seen = np.empty(count)
    values = np.empty(count)
    people = kinds_of_value = 0
    heap = np.arange(1, count)
    size = count - 1
    for at in range(size // 2 - 1, -1, -1):
        _sink(gaps, heap, size, at)
    i = 0
    while True:
        unknown = persons[i] != persons[i]
        usable = not unknown or i == 0
        for p in range(people):
            if seen[p] == persons[i]:
                usable = False
        # a value that is not known is nobody else's
        is_new = True
        for p in range(kinds_of_value):
            if values[p] == secrets[i]:
                is_new = False
        # with k persons only another confidential value is of use
        if usable and (people < k or is_new):
            is_member[i] = True
            if not unknown:
                seen[people] = persons[i]
                people += 1
            if is_new:
                values[kinds_of_value] = secrets[i]
                kinds_of_value += 1
            if people >= k and kinds_of_value >= diversity:
                break
        if size == 0:
            break
        i = heap[0]
        size -= 1
        heap[0] = heap[size]
        _sink(gaps, heap, size, 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _diverse(secrets: Floats, is_member: Bools, diversity: int) -> bool:
    """Are there so many confidential values among the members? All that are not known are one."""
    known = _distinct(secrets, is_member, diversity)
    for i in range(len(secrets)):
        if is_member[i] and secrets[i] != secrets[i]:
            return bool(known + 1 >= diversity)
    return bool(known >= diversity)


@njit(cache=True, nogil=True, error_model="numpy")
def _remember(
    table: Floats,
    persons: Floats,
    is_member: Bools,
    kinds: Ints,
    k: int,
    centre: Floats,
    lowest: Floats,
    highest: Floats,
) -> None:
    """Centre and box of the members; a column that fewer than k persons have becomes missing."""
    d = len(kinds)
    members = np.flatnonzero(is_member)
    columns = np.empty((d, len(members)))
    for s in range(len(members)):
        for j in range(d):
            columns[j, s] = table[members[s], j]
    centroid(columns, np.arange(len(members)), len(members), kinds, k, centre)
    for j in range(d):
        lowest[j] = highest[j] = columns[j, 0]
        lacks = False
        for x in columns[j]:
            lacks = lacks or x != x
            lowest[j] = min(lowest[j], x)
            highest[j] = max(highest[j], x)
        if not lacks:
            continue
        # a box with an unknown side holds nobody
        lowest[j] = highest[j] = np.nan
        # the centroid counts records, of which one person may have several
        has_value = is_member.copy()
        for s in range(len(members)):
            has_value[members[s]] = columns[j, s] == columns[j, s]
        if _distinct(persons, has_value, k) < k:
            centre[j] = np.nan


@njit(cache=True, nogil=True, error_model="numpy")
def _nearest_cluster(
    oldest: Floats,
    centre: Floats,
    lowest: Floats,
    highest: Floats,
    known: int,
    inside: bool,
    weight: Floats,
    missing: Floats,
    kinds: Ints,
) -> int:
    """The cluster of the nearest centre (of those whose box the record lies in); -1: none."""
    best = NOBODY
    least = np.inf
    for c in range(known):
        fits = True
        if inside:
            for j in range(len(kinds)):
                fits = fits and lowest[c, j] <= oldest[j] <= highest[c, j]
        if not fits:
            continue
        gap = _apart(centre[c], oldest, weight, missing, kinds)
        if best == NOBODY or gap < least:
            best = c
            least = gap
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _settle(
    last: bool,
    parameters: Ints,
    kinds: Ints,
    table: Floats,
    recent: Floats,
    moments: Floats,
    ints: Ints,
    index: Ints,
    clusters: Ints,
    is_member: Bools,
) -> int:
    """Who leaves with the oldest record, and the cluster whose value they take; -1: withheld."""
    d = len(kinds)
    k, diversity, reuse = parameters[K], parameters[DIVERSITY], parameters[REUSE]
    centre, lowest, highest = recent[0], recent[1], recent[2]
    count = ints[WAITING]
    known = min(ints[RECENT], reuse)
    is_member[:count] = False
    oldest = table[0]
    weight = np.empty(d)
    missing = np.empty(d)
    weights(parameters[SCALE], weight, moments, kinds, weight, missing)
    if not last:
        cluster = _nearest_cluster(
            oldest, centre, lowest, highest, known, True, weight, missing, kinds
        )
        if cluster != NOBODY:
            is_member[0] = True
            return int(cluster)
    persons = np.empty(count)
    for s in range(count):
        # without a column of persons every record is one
        persons[s] = table[s, d] if parameters[PERSONS] == 1 else float(s)
    secrets = table[:count, d + 1].copy()
    is_member[:count] = True
    people = _distinct(persons, is_member[:count], 2 * k)
    forms = people >= k
    if forms:
        # at the end of the stream, what is left and cannot be cut in two stays together
        if not last or people >= 2 * k:
            is_member[:count] = False
            gaps = np.empty(count)
            for s in range(count):
                gaps[s] = _apart(table[s], oldest, weight, missing, kinds)
            _gather(gaps, persons, secrets, k, diversity, is_member)
        forms = _diverse(secrets, is_member[:count], diversity)
    if forms:
        cluster = ints[RECENT] % reuse
        members = is_member[:count]
        _remember(
            table,
            persons,
            members,
            kinds,
            k,
            centre[cluster],
            lowest[cluster],
            highest[cluster],
        )
        clusters[0, cluster] = ints[GROUP]
        clusters[1, cluster] = 0
        ints[GROUP] += 1
        ints[RECENT] += 1
        return int(cluster)
    is_member[:count] = False
    is_member[0] = True
    cluster = _nearest_cluster(
        oldest, centre, lowest, highest, known, False, weight, missing, kinds
    )
    return int(cluster)


@njit(cache=True, nogil=True, error_model="numpy")
def advance(
    values: Floats,
    now: float,
    last: bool,
    parameters: Ints,
    seconds: float,
    kinds: Ints,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
    gone: Ints,
) -> tuple[int, int]:
    """Take in every row; settle whoever is due, at the end of the stream all.

    meta[e] = arrival index, delay in records, cluster, its size so far. ``gone`` gets the arrival
    numbers of those withheld. Returns (emitted, withheld).
    """
    d = len(kinds)
    slots = parameters[DELAY] + 1
    reuse = parameters[REUSE]
    width = d + EXTRAS
    # the parts of the two arrays, in the order of the module's docstring
    table = floats[: slots * width].reshape(slots, width)
    at = slots * width
    recent = floats[at : at + 3 * reuse * d].reshape(3, reuse, d)
    moments = floats[at + 3 * reuse * d :].reshape(4, d)
    index = ints[HEAD : HEAD + slots]
    clusters = ints[HEAD + slots :].reshape(2, reuse)
    is_member = np.zeros(slots, np.bool_)
    emitted = withheld = i = 0
    n = len(values)
    while True:
        if i < n:
            slot = ints[WAITING]
            table[slot, : width - 1] = values[i]
            table[slot, width - 1] = now
            index[slot] = ints[ARRIVAL]
            ints[WAITING] += 1
            ints[ARRIVAL] += 1
            observe(values[i : i + 1, :d], moments, 1.0)
        ending = last and i >= n
        while ints[WAITING] > 0:
            newest = ints[ARRIVAL] - 1
            waited = newest - index[0] >= parameters[DELAY]
            if not (waited or now - table[0, width - 1] >= seconds or ending):
                break
            count = ints[WAITING]
            cluster = _settle(
                ending,
                parameters,
                kinds,
                table,
                recent,
                moments,
                ints,
                index,
                clusters,
                is_member,
            )
            leaving = 0
            for s in range(count):
                leaving += 1 if is_member[s] else 0
            if cluster == NOBODY:
                gone[withheld] = index[0]
                withheld += 1
            else:
                clusters[1, cluster] += leaving
            # those who leave go out, the others move up and stay in order
            stay = 0
            for s in range(count):
                if not is_member[s]:
                    if stay < s:
                        table[stay] = table[s]
                        index[stay] = index[s]
                    stay += 1
                elif cluster != NOBODY:
                    out[emitted] = recent[0, cluster]
                    meta[emitted, 0] = index[s]
                    meta[emitted, 1] = newest - index[s]
                    meta[emitted, 2] = clusters[0, cluster]
                    meta[emitted, 3] = clusters[1, cluster]
                    emitted += 1
            ints[WAITING] = stay
        if i >= n:
            break
        i += 1
    return emitted, withheld
