"""What every protector shares: reading any frame, checking parameters, choosing columns, seeds."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from tacit.base import display, parameters
from tacit.base.errors import (
    ColumnError,
    InputError,
    OtherTypeError,
    TacitError,
    TacitWarning,
)
from tacit.base.estimator import Estimator
from tacit.base.facts import Described
from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Objects
from tacit.data import lazy
from tacit.data.frames import plain_array
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect.file_parts import refuse_units
from tacit.protect.parted import Parts, strata_columns
from tacit.protect.through_large_file import Passes, ThroughLargeFile

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["NumericProtector", "Passes", "Protector", "Seed"]

Frame = TypeVar("Frame")
"""Whatever frame the caller has: pandas, polars, pyarrow, Spark, DuckDB, an array, Microdata."""


class Protector(Described, Estimator, ThroughLargeFile):
    """An object that masks data, with scikit-learn transformer conventions.

    A method writes ``__init__`` (annotated parameters), ``_fit`` and ``_apply``.
    ``transform(X)`` is a release of its own: guarantees such as k hold on what it returns.
    After ``fit(X)`` with an integer seed, ``transform(X)`` equals ``fit_transform(X)``.
    Columns of a household or person are masked once for each of them, and strata (``by``)
    apart; ``parts_`` then holds a protector for each part (see ``tacit.protect.file_parts``).
    Missing values stay missing unless the method's docstring says otherwise.
    Identifier columns are dropped; columns that are not protected pass unchanged.
    """

    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """Kinds of column that the method can mask."""
    min_records: ClassVar[int] = 1
    """Fewest records that the method can work with."""
    attacker: ClassVar[str] = "informed.estimated:AwareEstimated"
    """The intruder who knows this method, as ``module:Class`` of ``tacit.attack``.

    Empty: no compared value changes.
    """
    shuffles_rows: ClassVar[bool] = False
    """Rows of the release are in random order: nobody can say whose they are."""
    drops_identifiers: ClassVar[bool] = True
    """Identifiers are not in the release."""
    keeps_gaps: ClassVar[bool] = True
    """A missing value stays missing where it was, and no other becomes missing."""
    changes_length: ClassVar[str] = ""
    """Why the release has another number of records, if it has."""
    changes_types: ClassVar[str] = ""
    """Why a column of the release has another type, if it may."""
    keeps_levels: ClassVar[bool] = False
    """The method itself masks columns of a household or person once for each of them.

    Otherwise ``Protector`` masks each level in a table of its own.
    """
    one_row_each: ClassVar[str] = ""
    """Why the method takes no file with several rows per person or household, if it does not."""
    scales: ClassVar[Literal["blocks", "records"] | None] = None
    """How the method works on a file that is cut into blocks.

    Its groups may be formed inside ``blocks`` and keep their guarantee, or it treats
    ``records`` one by one, by rules that do not come from the file. None: not at all.
    """
    whole_file: ClassVar[str] = (
        "what it learns from the file would be learned from each block alone"
    )
    """Why the method needs the whole file, where ``scales`` is None."""
    # -- the face ----------------------------------------------------------------------

    def fit(self, X: object, y: object = None) -> Protector:
        """Learn what the method needs from X."""
        data, columns = self._start(X, reset=True)
        self.parts_ = Parts.of(self, data, columns)
        with lazy.workers_of(X):
            if self.parts_ is None:
                self._fit(data, columns, self._generator())
            else:
                self.parts_.fit(data)
        self._fitted_ = True
        return self

    def transform(self, X: Frame) -> Frame:
        """Mask X; the same kind of frame comes back."""
        self._refuse_unfitted()
        data, columns = self._start(X, reset=False)
        with lazy.workers_of(X):
            if self.parts_ is None:
                masked = by_address.masked(self, data, columns, self._generator())
            else:
                masked = self.parts_.apply(data)
        return self._give_back(X, masked)

    def fit_transform(self, X: Frame, y: object = None, **fit_params: object) -> Frame:
        """Fit to X and mask it in one go."""
        data, columns = self._start(X, reset=True)
        self.parts_ = Parts.of(self, data, columns)
        with lazy.workers_of(X):
            if self.parts_ is None:
                masked = self._fit_apply(data, columns, self._generator())
            else:
                masked = self.parts_.fit_apply(data)
        self._fitted_ = True
        return self._give_back(X, masked)

    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> Objects:
        """Names of the columns that are released."""
        self._refuse_unfitted()
        names_of_fit = getattr(self, "feature_names_in_", None)
        if input_features is None:
            return np.asarray(self._released_, dtype=object)
        # both messages are those that scikit-learn's own checks expect
        if len(input_features) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features"
            )
        if names_of_fit is None:
            return np.asarray(list(input_features), dtype=object)
        if list(names_of_fit) != list(input_features):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.asarray(self._released_, dtype=object)

    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Choose the kind of frame that ``transform`` gives; None: leave it as it is."""
        if transform is not None:
            # the name under which scikit-learn's clone looks for it
            self._sklearn_output_config = {"transform": transform}
        return self

    def touches(self, data: Microdata) -> list[str]:
        """The columns of a file that the method would mask."""
        if not self.attacker:
            return []
        asked = getattr(self, "columns", None)
        return self._unless_by(data) if asked is None else list(asked)

    def claim(self, data: Microdata) -> dict[str, object] | None:
        """What a release of this file would claim by differential privacy; None: nothing."""
        return None

    def outcome(self) -> dict[str, object] | None:
        """What a fitted method has to say of its release, for the manifest; None: nothing."""
        return None

    @property
    def outcome_(self) -> dict[str, object]:
        """What a fitted method did, as the manifest has it; empty where it has nothing to say."""
        self._refuse_unfitted()
        return self.outcome() or {}

    @classmethod
    def told(cls, outcome: Mapping[str, Any]) -> str:
        """An outcome as a manifest holds it, in words; '' where there are none."""
        return ""

    def _unless_by(self, data: Microdata) -> list[str]:
        """The quasi-identifiers that do not cut the file into strata."""
        by = strata_columns(self)
        return [name for name in data.quasi if name not in by]

    def treats(self, data: Microdata) -> list[str]:
        """The columns that leave otherwise than they came, whether an attacker compares them."""
        return self.touches(data)

    def changed_parameters(self) -> dict[str, object]:
        """The parameters that differ from their defaults; never a seed, which is a secret."""
        model = parameters.model_of(type(self))  # type: ignore[arg-type]  # mypy: a class's hash
        given = self.get_params(deep=False)
        return {
            name: given[name]
            for name, field in model.model_fields.items()
            if not _same(given[name], field.default)
        }

    def in_short(self) -> str:
        """The method with the parameters that differ from their defaults."""
        changed = [
            f"{name}={value}" for name, value in self.changed_parameters().items()
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def needs_whole_file(self) -> str | None:
        """Why, with these parameters, blocks would not give what the file gives; None: they do."""
        if strata_columns(self):
            return "a block holds a few records of each stratum, and its groups need k of one"
        return None if self.scales else self.whole_file

    # -- what a method writes ----------------------------------------------------------

    def _fit(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> None:
        """Learn; attributes end in an underscore."""

    def _apply(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        """Mask; must not set attributes."""
        raise NotImplementedError

    def _fit_apply(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        """Override when fitting already gives the result."""
        self._fit(data, columns, rng)
        # a new generator of the same seed, so that fit and then transform gives the same bytes
        return by_address.masked(self, data, columns, self._generator())

    def _targets(self, data: Microdata) -> list[str]:
        """The columns to mask: those asked for, or else the quasi-identifiers."""
        asked = getattr(self, "columns", None)
        names = self._unless_by(data) if asked is None else list(asked)
        if not names:
            raise ColumnError(
                "there is no quasi-identifier to protect; "
                "name some (--quasi, or columns=[...])"
            )
        for name in names:
            self._refuse_other_kinds(name, data.schema[name].scale)
        return names

    # -- shared steps ------------------------------------------------------------------

    def _refuse_other_kinds(self, name: str, kind: Kind) -> None:
        """Raise if the method cannot mask a column of this kind."""
        if kind in self.kinds:
            return
        allowed = " or ".join(sorted(self.kinds))
        raise ColumnError(
            f"{type(self).__name__} masks {allowed} columns, but '{name}' is {kind}; "
            f"leave it out (columns=[...]), give it another role, "
            f"or correct its kind (--{min(self.kinds)} {name})"
        )

    def _generator(self) -> np.random.Generator:
        """The random numbers of one call, from ``random_state`` where there is one."""
        return parameters.generator(getattr(self, "random_state", None))

    def _start(self, X: object, *, reset: bool) -> tuple[Microdata, list[str]]:
        """The data as Microdata without identifiers, and the columns to mask."""
        if reset:
            parameters.check(type(self), self.get_params(deep=False))
        data = self._read(X, reset=reset)
        if data.n < self.min_records:
            # 'sample(s)' and 'minimum' are words that scikit-learn's checks look for
            raise InputError(
                f"the file has {data.n} sample(s); a minimum of {self.min_records} "
                f"is required by {type(self).__name__}"
            )
        identifiers = data.schema.names(role=Role.identifier)
        if identifiers:
            # who passes Microdata has given the roles; in a bare frame they were inferred
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
        columns = self._targets(data)
        if self.one_row_each:
            refuse_units(data, columns, type(self).__name__, self.one_row_each)
        return data, columns

    def _read(self, X: object, *, reset: bool) -> Microdata:
        """Any frame as Microdata, with the attributes that scikit-learn keeps of a fit."""
        if isinstance(X, Microdata):
            self._remember(X, reset=reset)
            return X
        # some sparse arrays of scipy are dicts, too
        of_columns = isinstance(X, Mapping) and not hasattr(X, "shape")
        if lazy.of(X) is not None or of_columns:
            data = Microdata.of(X)
            self._remember(data, reset=reset)
            return data
        # its checks and its words for what is wrong; a file that was read needs neither
        from sklearn.utils.validation import validate_data

        if isinstance(X, np.ndarray):
            X = plain_array(X)
        tabular = hasattr(X, "columns") or hasattr(X, "column_names")
        try:
            if tabular:
                data = Microdata.of(X)
                validate_data(self, X, reset=reset, skip_check_array=True)
                if reset:
                    # pyarrow tables have no names that scikit-learn sees
                    self.n_features_in_ = len(data.names)
                return data
            array = validate_data(
                self,
                X,
                reset=reset,
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan",
            )
        except TacitError:
            raise
        except TypeError as error:
            raise OtherTypeError(str(error)) from error
        except ValueError as error:
            raise InputError(str(error)) from error
        return Microdata.of(array)

    def _refuse_unfitted(self) -> None:
        """The error that scikit-learn expects of an estimator that has not been fitted."""
        if hasattr(self, "_fitted_"):
            return
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator."
        )

    def _give_back(self, X: Frame, masked: Microdata) -> Frame:
        """The release as the kind of frame that came in, or that was asked for."""
        if isinstance(X, Microdata):
            return masked  # type: ignore[return-value]  # here Frame is Microdata
        native: Frame = masked.to_native()
        wanted = self._output()
        return native if wanted == "default" else _wrapped(X, native, masked, wanted)

    def _output(self) -> str:
        """The kind of frame asked for: of this object, or of all (``sklearn.set_config``)."""
        own = getattr(self, "_sklearn_output_config", {})
        if "transform" in own:
            return str(own["transform"])
        # without scikit-learn nobody can have set it
        if "sklearn" not in sys.modules:
            return "default"
        from sklearn import get_config

        return str(get_config()["transform_output"])

    def _remember(self, data: Microdata, *, reset: bool) -> None:
        """For Microdata, what ``validate_data`` does for other frames."""
        if reset:
            self.n_features_in_ = len(data.names)
            self.feature_names_in_ = np.asarray(data.names, dtype=object)
        elif len(data.names) != self.n_features_in_:
            raise InputError(
                f"the file has {len(data.names)} columns, "
                f"but the fit saw {self.n_features_in_}"
            )

    def _repr_html_(self) -> str:
        return str(display.show("notebook:protector", self))

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        """Notebooks ask for this first.

        scikit-learn's own shows neither what was learned nor what the method is.
        """
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = getattr(self, "random_state", 0) is None
        return tags


class NumericProtector(Protector):
    """A protector whose method is a function of a float array; NaN marks missing values."""

    kinds = frozenset({Kind.continuous})

    def _mask(self, values: Floats, rng: np.random.Generator) -> Floats:
        """The masked values, in an array of the same shape."""
        raise NotImplementedError

    def _apply(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        values = data.numbers(columns)
        return data.with_numbers(columns, self._mask(values, rng))


def _wrapped(X: Frame, native: Frame, masked: Microdata, kind: str) -> Frame:
    """A release as the kind of frame asked for, made by scikit-learn (index, column names)."""
    from sklearn.preprocessing import FunctionTransformer

    names = np.asarray(masked.names, dtype=object)
    shell = FunctionTransformer(
        func=lambda _: native, feature_names_out=lambda *_: names
    )
    wrapped: Frame = shell.set_output(transform=kind).fit_transform(X)
    return wrapped


def _same(value: object, default: object) -> bool:
    """Equal, where comparing arrays counts as different."""
    try:
        return bool(type(value) is type(default) and value == default)
    except ValueError:
        return False
