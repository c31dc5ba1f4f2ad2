"""The examples in the docstrings run and print what they show."""

import doctest
import importlib
import pkgutil

import pytest

import tacit

MODULES = [
    module.name
    for module in pkgutil.walk_packages(tacit.__path__, "tacit.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
