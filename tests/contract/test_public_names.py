"""Every public name of every room loads: a file that moved must not leave its name behind."""

import importlib
import pkgutil

import pytest

import tacit
from tacit.base.rooms import Room

PACKAGES = [
    module.name
    for module in pkgutil.walk_packages(tacit.__path__, "tacit.")
    if module.ispkg
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_of_a_room_loads(package):
    room = importlib.import_module(package)
    names = room.public_names if isinstance(room, Room) else ()
    for name in (*names, *getattr(room, "__all__", ())):
        assert getattr(room, name) is not None, f"{package}.{name}"
