"""diffprivlib (with the scikit-learn that it still imports under): two-sided geometric noise."""

from diffprivlib.mechanisms import Geometric

from bench.peer import answer, task

n = task()["n"]
mechanism = Geometric(epsilon=0.1, sensitivity=1)


def draw():
    for _ in range(n):
        mechanism.randomise(0)


answer(geometric=draw)
