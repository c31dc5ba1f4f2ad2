"""Parameters and state of a filter: what is given, what is learned, and how both are kept."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.stream.kinds import Plain
from tacit.stream.records import Records
from tacit.stream.sound import LONGEST
from tacit.stream.vocabulary import unknown_parameter


class Kept:
    """The part of a filter that can be saved, copied and built again."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Parameters until version 0.1: old name -> new name, and how its values translate."""

    withheld: list[int]
    """Arrival numbers of records that could not be protected and did not leave."""
    _keys: npt.NDArray[np.uint64]
    _records: Records | None
    # what is released with a record without being masked, by arrival number
    _carried: dict[int, object]
    _arrived: int
    _left: int
    # everything that the kernel remembers: a copy of two flat arrays is a backup
    _floats: Floats
    _ints: Ints

    def __new__(cls, *_: object, **given: object) -> Self:
        """Refuse old parameter names with a sentence; Python itself refuses the unknown ones."""
        for name in given:
            if name in cls.renamed:
                raise unknown_parameter(cls, name, ())
        return super().__new__(cls)

    def _ready(self) -> None:
        raise NotImplementedError

    def reset(self) -> Self:
        """Forget everything."""
        raise NotImplementedError

    def _begin(self, records: Records) -> None:
        raise NotImplementedError

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        """Refuse whole numbers of a state that no stream leaves (`tacit.stream.sound`)."""

    def get_params(self, deep: bool = True) -> Plain:
        """Constructor parameters, as in scikit-learn."""
        # the constructor is the one list of parameters
        names = inspect.signature(type(self).__init__).parameters
        return {name: getattr(self, name) for name in names if name != "self"}

    def set_params(self, **given: object) -> Self:
        """Change parameters; starts afresh."""
        known = self.get_params()
        for name, value in given.items():
            if name not in known:
                raise unknown_parameter(type(self), name, known)
            setattr(self, name, value)
        self._ready()
        return self

    def __repr__(self) -> str:
        given = self.get_params().items()
        shown = [f"{name}={value!r}" for name, value in given if value is not None]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _public_params(self) -> Plain:
        """The parameters without the seed, which is a secret; a state carries its key instead."""
        given = self.get_params()
        given.pop("random_state", None)
        return given

    def state_dict(self) -> Plain:
        """Everything that is needed to go on elsewhere, bit for bit: arrays and plain values."""
        records = None if self._records is None else self._records.to_dict()
        # copies: the state must not change with what comes next
        return {
            "filter": type(self).__name__,
            "parameters": self._public_params(),
            "keys": self._keys.copy(),
            "records": records,
            "carried": [[index, value] for index, value in self._carried.items()],
            "arrived": self._arrived,
            "left": self._left,
            "withheld": list(self.withheld),
            "floats": self._floats.copy(),
            "ints": self._ints.copy(),
        }

    def load_state_dict(self, state: Plain) -> Self:
        """Go on where `state_dict` was taken; the parameters must be the same as then."""
        mine = self._public_params()
        if state["filter"] != type(self).__name__ or state["parameters"] != mine:
            raise ParameterError(
                f"the saved state belongs to {state['filter']}({state['parameters']}), "
                f"not to {type(self).__name__}({mine})"
            )
        self.reset()
        keys = self._keys
        self._keys = np.array(state["keys"], dtype=np.uint64)
        # before the first record there are no columns, and no arrays to fill
        if state["records"] is not None:
            self._begin(Records.from_dict(state["records"]))
        self._carried = {int(index): value for index, value in state["carried"]}
        self._arrived = int(state["arrived"])
        self._left = int(state["left"])
        self.withheld = [int(index) for index in state["withheld"]]
        if not 0 <= self._left <= self._arrived < LONGEST:
            raise ValueError("more records left than came")
        if self._keys.shape != keys.shape:
            raise ValueError("its key is of another length")
        ints = np.asarray(state["ints"])
        if ints.dtype != self._ints.dtype or ints.shape != self._ints.shape:
            raise ValueError("its arrays are of another size")
        if self._records is not None:
            self._refuse_unsound(ints, self._ints)
        # filled in place: a filter may hold views into these arrays
        for array, saved in (
            (self._floats, state["floats"]),
            (self._ints, state["ints"]),
        ):
            if np.shape(saved) != array.shape:
                raise ValueError("its arrays are of another size")
            array[:] = saved
        return self

    def __getstate__(self) -> Plain:
        """Copies and pickles carry parameters and state, and nothing that is compiled."""
        return {"parameters": self.get_params(), "state": self.state_dict()}

    def __setstate__(self, saved: Plain) -> None:
        self.__init__(**saved["parameters"])  # type: ignore[misc]  # as a constructor call
        self.load_state_dict(saved["state"])
