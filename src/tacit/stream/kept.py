"""Parameters and state of a filter: what is given, what is learned, and how both are kept."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, choices
from tacit.stream.records import Records


class Kept:
    """The part of a filter that can be saved, copied and built again."""

    _keys: NDArray[np.uint64]
    _records: Records | None
    _carried: dict[int, Any]
    _arrived: int
    _left: int
    _floats: NDArray[np.float64]
    _ints: NDArray[np.int64]
    withheld: list[int]

    def _ready(self) -> None:
        raise NotImplementedError

    def reset(self) -> Self:
        """Forget everything."""
        raise NotImplementedError

    def _begin(self, records: Records) -> None:
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor parameters, as in scikit-learn."""
        return {
            name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"
        }

    def set_params(self, **given: Any) -> Self:
        """Change parameters; starts afresh."""
        known = self.get_params()
        for name, value in given.items():
            if name not in known:
                raise ParameterError(f"{type(self).__name__} has no parameter '{name}'; {choices(name, known)}")
            setattr(self, name, value)
        self._ready()
        return self

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items() if v is not None)})"
        )

    def state_dict(self) -> dict[str, Any]:
        """Everything that is needed to go on elsewhere, bit for bit: arrays and plain values."""
        return {
            "filter": type(self).__name__,
            "parameters": {k: v for k, v in self.get_params().items() if k != "random_state"},
            "keys": self._keys.copy(),
            "records": None if self._records is None else self._records.to_dict(),
            "carried": [[i, v] for i, v in self._carried.items()],
            "arrived": self._arrived,
            "left": self._left,
            "withheld": list(self.withheld),
            "floats": self._floats.copy(),
            "ints": self._ints.copy(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> Self:
        """Go on where `state_dict` was taken; the filter must have been built with the same parameters."""
        mine = {k: v for k, v in self.get_params().items() if k != "random_state"}
        if state["filter"] != type(self).__name__ or state["parameters"] != mine:
            raise ParameterError(
                f"the saved state belongs to {state['filter']}({state['parameters']}), "
                f"not to {type(self).__name__}({mine})"
            )
        self.reset()
        self._keys = np.array(state["keys"], dtype=np.uint64)
        if state["records"] is not None:
            self._begin(Records.from_dict(state["records"]))
        self._carried = {int(i): v for i, v in state["carried"]}
        self._arrived, self._left = int(state["arrived"]), int(state["left"])
        self.withheld = list(state["withheld"])
        self._floats[:], self._ints[:] = state["floats"], state["ints"]
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles carry parameters and state, and nothing that is compiled."""
        return {"parameters": self.get_params(), "state": self.state_dict()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(**saved["parameters"])  # type: ignore[misc]
        self.load_state_dict(saved["state"])
