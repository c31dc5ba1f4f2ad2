"""What the methods for dates share: which columns they mask, and dates as days."""

from __future__ import annotations

from tacit.base.errors import ColumnError
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect.base import Protector


class DateProtector(Protector):
    """A protector of dates: the quasi-identifiers of kind date, unless columns are named."""

    family = "dates"
    kinds = frozenset({Kind.date})

    def by_code(self, data: Microdata, name: str) -> bool:
        """Dates are days."""
        return False

    def touches(self, data: Microdata) -> list[str]:
        """The columns of a file that the method would mask."""
        asked = getattr(self, "columns", None)
        return _dates(data) if asked is None else list(asked)

    def _targets(self, data: Microdata) -> list[str]:
        names = self.touches(data)
        if not names:
            raise ColumnError(
                "there is no date to protect; say which columns hold dates "
                "(--date born, or kind = 'date' in the schema)"
            )
        for name in names:
            kind = data.schema[name].kind
            if kind is not Kind.date:
                raise ColumnError(
                    f"{type(self).__name__} masks dates, but '{name}' is {kind}; "
                    f"leave it out (columns=[...]), or correct its kind (--date {name})"
                )
        return names


def _dates(data: Microdata) -> list[str]:
    return data.schema.names(role=Role.quasi, kind=Kind.date)
