"""Small changes of meaning, made one at a time, that the tests must notice.

    make mutants                       # every room
    make mutants ROOM="risk loss"      # some rooms
    make mutants SINCE=main            # the rooms that changed against a branch or commit
    python -m tools.mutants --only ddof --json results.json

A mutation is an entry of a data file (``risk.toml``, one per room): where, what stands there, what
is put in its place, what that would mean, and the tests that should catch it. The runner copies
the repository to a temporary folder, makes the change there, runs those tests, and expects one of
them to fail.

Why a list of our own. mutmut, cosmic-ray and poodle change every operator and constant that they
find: tens of thousands of mutants here, most of them equivalent or of no meaning, at seconds each.
mutmut leaves decorated functions out, because it calls every function through a switch, and so it
would leave out every kernel; mutatest has had no release for years and wants a coverage of that
time. What we want to know is narrower: would the tests notice a broken guarantee, verdict, seed,
threshold or formula? That takes a person to write, some hundred entries, and minutes to run.
"""
