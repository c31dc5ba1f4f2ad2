"""What every protector shares: reading any frame, checking parameters, choosing columns, seeds."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit import parameters
from tacit.errors import ColumnError, InputError, TacitError, TacitWarning
from tacit.microdata import FloatArray, Kind, Microdata, Role
from tacit.parameters import Seed

__all__ = ["NumericProtector", "Protector", "Seed"]


class Protector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An object that masks data, with scikit-learn transformer conventions.

    A method writes ``__init__`` (annotated parameters), ``_fit`` and ``_apply``. ``transform(X)`` is a release of
    its own: guarantees such as k hold on what it returns. After ``fit(X)`` with an integer seed, ``transform(X)``
    equals ``fit_transform(X)``. Missing values stay missing unless the method's docstring says otherwise.
    Identifier columns are dropped; columns that are not protected pass unchanged.
    """

    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """Kinds of column that the method can mask."""
    min_records: ClassVar[int] = 1

    # -- the face --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Protector:
        """Learn what the method needs from X."""
        data, columns = self._start(X, reset=True)
        self._fit(data, columns, self._generator())
        self._fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        """Mask X; the same kind of frame comes back."""
        check_is_fitted(self, "_fitted_")
        data, columns = self._start(X, reset=False)
        return _give_back(X, self._apply(data, columns, self._generator()))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to X and mask it in one go."""
        data, columns = self._start(X, reset=True)
        masked = self._fit_apply(data, columns, self._generator())
        self._fitted_ = True
        return _give_back(X, masked)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns that are released."""
        check_is_fitted(self, "_fitted_")
        if input_features is not None and len(input_features) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features")
        known = getattr(self, "feature_names_in_", None)
        if known is not None and input_features is not None and list(known) != list(input_features):
            raise ValueError("input_features is not equal to feature_names_in_")
        names = self._released_ if known is not None or input_features is None else input_features
        return np.asarray(list(names), dtype=object)

    # -- what a method writes --------------------------------------------------------------------------

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        """Learn; attributes end in an underscore."""

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        """Mask; must not set attributes."""
        raise NotImplementedError

    def _fit_apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        """Override when fitting already gives the result."""
        self._fit(data, columns, rng)
        return self._apply(data, columns, self._generator())

    def _targets(self, data: Microdata) -> list[str]:
        """The columns to mask: those asked for, or else the quasi-identifiers."""
        asked = getattr(self, "columns", None)
        names = data.quasi if asked is None else list(asked)
        if not names:
            raise ColumnError("there is no quasi-identifier to protect; name some (--quasi, or columns=[...])")
        for name in names:
            kind = data.schema[name].kind
            if kind not in self.kinds:
                allowed = " or ".join(sorted(self.kinds))
                raise ColumnError(
                    f"{type(self).__name__} masks {allowed} columns, but '{name}' is {kind}; leave it out "
                    f"(columns=[...]), give it another role, or correct its kind (--{min(self.kinds)} {name})"
                )
        return names

    # -- shared steps ----------------------------------------------------------------------------------

    def _generator(self) -> np.random.Generator:
        return parameters.generator(getattr(self, "random_state", None))

    def _start(self, X: Any, *, reset: bool) -> tuple[Microdata, list[str]]:
        if reset:
            parameters.check(type(self), self.get_params(deep=False))
        data = self._read(X, reset=reset)
        if data.n < self.min_records:
            raise InputError(
                f"the file has {data.n} sample(s); a minimum of {self.min_records} is required by {type(self).__name__}"
            )
        identifiers = data.schema.names(role=Role.identifier)
        if identifiers:
            if not isinstance(X, Microdata):
                warnings.warn(
                    f"dropped the identifier column(s) {', '.join(identifiers)}; "
                    "pass Microdata with other roles to keep them",
                    TacitWarning,
                    stacklevel=4,
                )
            data = data.drop(identifiers)
        if reset:
            self._released_ = data.names
        return data, self._targets(data)

    def _read(self, X: Any, *, reset: bool) -> Microdata:
        if isinstance(X, Microdata):
            if reset:
                self.n_features_in_ = len(X.names)
                self.feature_names_in_ = np.asarray(X.names, dtype=object)
            elif len(X.names) != self.n_features_in_:
                raise InputError(f"the file has {len(X.names)} columns, but the fit saw {self.n_features_in_}")
            return X
        tabular = hasattr(X, "columns") or hasattr(X, "column_names")
        try:
            if tabular:
                data = Microdata.of(X)
                validate_data(self, X, reset=reset, skip_check_array=True)
                if reset:  # pyarrow tables have no names that scikit-learn sees
                    self.n_features_in_ = len(data.names)
                return data
            array = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
        except TacitError:
            raise
        except ValueError as error:
            raise InputError(str(error)) from error
        return Microdata.of(array)

    def _repr_html_(self) -> str:
        from tacit.report.jupyter import protector

        return protector(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Notebooks ask for this first; scikit-learn's own shows neither what was learned nor what the method is."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = hasattr(self, "random_state") and self.random_state is None
        return tags


class NumericProtector(Protector):
    """A protector whose method is a function of a float array; NaN marks missing values."""

    kinds = frozenset({Kind.continuous})

    def _mask(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        raise NotImplementedError

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        return data.with_numbers(columns, self._mask(data.numbers(columns), rng))


def _give_back(X: Any, masked: Microdata) -> Any:
    return masked if isinstance(X, Microdata) else masked.to_native()
