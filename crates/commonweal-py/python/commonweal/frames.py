"""Tables for other libraries, which are imported on first use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars


def with_payoffs(columns: dict[str, list[Any]], payoffs: Iterable[tuple[str, list[Any]]], then: Iterable[str]) -> None:
    """Adds a column for each principal. One whose name is that of another column is called `payoff of NAME`."""
    taken = {*columns, *then}
    for name, numbers in payoffs:
        title = name
        while title in taken:
            title = f"payoff of {title}"
        taken.add(title)
        columns[title] = numbers


class Table:
    """A result with rows and columns."""

    def _columns(self) -> dict[str, list[Any]]:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame; needs pandas."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame; needs polars."""
        import polars

        return polars.DataFrame(self._columns())
