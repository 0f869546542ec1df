"""Exceptions: the messages of the program, with the place and the cure."""

from __future__ import annotations


class CommonwealError(ValueError):
    """The base of all exceptions of this package.

    `str(error)` is what the program would print: the place, the problem, the line itself, and the cure.
    """

    message: str
    """The problem alone."""
    line: int | None
    """The line of a text, from 1."""
    column: int | None
    """The column of that line, from 1."""
    help: str | None
    """The cure."""

    def __init__(
        self,
        whole: str,
        *,
        message: str | None = None,
        line: int | None = None,
        column: int | None = None,
        help: str | None = None,
    ) -> None:
        super().__init__(whole)
        self.message = whole if message is None else message
        self.line = line
        self.column = column
        self.help = help


class ModelError(CommonwealError):
    """A file, a text or arrays that do not describe a model."""


class StrategyError(CommonwealError):
    """A text that does not describe a strategy for the model."""


class QuestionError(CommonwealError):
    """An invalid question: an unknown state or principal, an unknown rule."""


class UndecidedError(CommonwealError):
    """A comparison that the bounds of a value do not decide."""


class CertificateError(CommonwealError):
    """A certificate that cannot be written or read. An invalid one is refused, which is not an error."""
