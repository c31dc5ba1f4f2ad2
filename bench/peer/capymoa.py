"""CapyMOA (MOA in Java): the RandomRBF generator, and MOA's filters, one record at a time."""

from capymoa.stream.generator import RandomRBFGenerator
from capymoa.stream.preprocessing import MOATransformer
from moa.streams.filters import (
    AddNoiseFilter,
    NormalisationFilter,
    StandardisationFilter,
)

from bench.peer import answer, task

n = task()["n"]
stream = RandomRBFGenerator()
records = [stream.next_instance() for _ in range(n)]


def draw():
    for _ in range(n):
        stream.next_instance()


def through(moa_filter):
    def run():
        transformer = MOATransformer(
            schema=stream.get_schema(), moa_filter=moa_filter()
        )
        for record in records:
            transformer.transform_instance(record)

    return run


answer(
    generator=draw,
    noise=through(AddNoiseFilter),
    standardise=through(StandardisationFilter),
    normalise=through(NormalisationFilter),
)
