"""What every constraint says: which classes break it, and when it stays kept further up."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacit.base.typing import Bools
from tacit.protect.lattice.view import View


class Constraint:
    """A privacy model.

    Either a class keeps or breaks it (``per_class``), or the release as a whole.
    """

    per_class: ClassVar[bool] = True
    survives_suppression: ClassVar[bool] = False
    """Classes that keep it still do when any others are merged into them: what is suppressed
    further up was suppressed below."""

    def fails(
        self,
        view: View,
    ) -> Bools:
        """The classes that break it."""
        return np.zeros(view.number, dtype=bool)

    def holds(
        self,
        view: View,
        suppressed: int,
    ) -> bool:
        """Whether the release as a whole keeps it; ``suppressed`` people are not in the view."""
        return True

    def monotone(
        self,
        *,
        suppression: bool,
        several_rows: bool,
    ) -> bool:
        """Whether a node above one that keeps it keeps it as well.

        Parameters
        ----------
        suppression : bool
            Records may be suppressed.
        several_rows : bool
            People may have several records.
        """
        # with nobody suppressed and one row each, a class further up is a union of classes, and
        # every model of classes here is kept by unions
        return self.survives_suppression or not (suppression or several_rows)

    def unsatisfiable(
        self,
        whole: View,
    ) -> str:
        """Why no generalisation can keep it, from the file as one class; empty: one may."""
        return str(self) if self.per_class and self.fails(whole)[0] else ""
