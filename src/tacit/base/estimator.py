"""scikit-learn's protocol without scikit-learn: parameters, copies, tags.

Protectors and attackers are estimators: ``get_params``, ``set_params``, ``sklearn.base.clone``,
pipelines and searches take them. The protocol is a handful of methods, and scikit-learn, whose
import costs more than protecting a small file (with scipy.stats, and pandas where it is), is only
loaded when it is there already or is asked for something.

Source: "Developing scikit-learn estimators", scikit-learn's user guide.
"""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from sklearn.utils import Tags

Kind = TypeVar("Kind", bound="Estimator")


def clone(estimator: Kind) -> Kind:
    """A new estimator with copies of the parameters and nothing learned, as scikit-learn's."""
    given = estimator.get_params(deep=False)
    return type(estimator)(
        **{
            name: clone(value) if isinstance(value, Estimator) else deepcopy(value)
            for name, value in given.items()
        }
    )


class Estimator:
    """An object whose parameters are the arguments of its constructor, kept under their names.

    Examples
    --------
    >>> class Mean(Estimator):
    ...     def __init__(self, weight=1.0):
    ...         self.weight = weight
    >>> Mean(weight=2.0)
    Mean(weight=2.0)
    >>> Mean().set_params(weight=3.0).get_params()
    {'weight': 3.0}
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters, sorted; scikit-learn asks for them by this name."""
        if cls.__init__ is object.__init__:
            return []
        arguments = inspect.signature(cls.__init__).parameters.values()
        # *args and **kwargs have no names
        unnamed = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return sorted(
            argument.name
            for argument in arguments
            if argument.name != "self" and argument.kind not in unnamed
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; ``deep`` adds those of parameters that are estimators."""
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                inner = value.get_params().items()
                found.update({f"{name}__{part}": given for part, given in inner})
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Change parameters; ``name__part`` is the part of a parameter that is an estimator."""
        names = self._get_param_names()
        parts: dict[str, dict[str, Any]] = {}
        for given, value in params.items():
            name, divided, part = given.partition("__")
            if name not in names:
                # the words that scikit-learn uses
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {names!r}."
                )
            if divided:
                parts.setdefault(name, {})[part] = value
            else:
                setattr(self, name, value)
        for name, inner in parts.items():
            getattr(self, name).set_params(**inner)
        return self

    def __repr__(self) -> str:
        """The call that makes an equal one: the parameters that differ from their defaults."""
        arguments = inspect.signature(type(self).__init__).parameters
        given = self.get_params(deep=False)
        changed = (
            f"{name}={value!r}"
            for name, value in given.items()
            # by what is written: values may be arrays, whose comparison is no yes or no
            if repr(value) != repr(arguments[name].default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn may expect of it: nothing of y, and the usual tables of numbers."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(),
        )
