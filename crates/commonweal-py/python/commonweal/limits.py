"""How an answer is to be found, and how long that may take."""

from __future__ import annotations

from numbers import Real

from .errors import QuestionError
from .labels import whole

MOST = 2**64 - 1
"""The greatest number of runs, nodes and the like."""
_FOR_EVER = 10**12
"""Seconds that nobody waits for."""
_MOST_THREADS = 1024
"""As many as the program takes."""


class Limits:
    """The engine and the limits of a question."""

    def __init__(
        self,
        exact: bool | None = None,
        gap: float | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        if exact is not None and not isinstance(exact, bool):
            raise QuestionError(f"exact is {exact!r}; it is True, False or None")
        if threads is not None:
            threads = whole(threads, "threads", 1, _MOST_THREADS, cure=", or None for one per core")
        for name, number in (("gap", gap), ("time_limit", time_limit)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, Real)):
                raise QuestionError(f"{name} is {number!r}; write a number such as 1e-6, or leave it out")
        if gap is not None and gap > _FOR_EVER:
            raise QuestionError("gap is larger than any that says something; write a number such as 1e-6, or leave it out")
        if time_limit is not None and not time_limit >= 0:
            raise QuestionError(f"time_limit is {time_limit}; it is a number of seconds, from 0")
        if time_limit is not None and time_limit > _FOR_EVER:
            time_limit = None
        self.exact, self.gap, self.threads, self.time_limit = exact, gap, threads, time_limit
