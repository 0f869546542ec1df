"""What goes wrong, as exceptions: the words of the program, with the place and the cure beside them."""

from __future__ import annotations


class CommonwealError(ValueError):
    """The base of all exceptions of this package.

    `str(error)` is what the program would print: the place, what is wrong, the line itself, and how to mend it.
    """

    message: str
    """What is wrong, alone."""
    line: int | None
    """The line of a text, from 1."""
    column: int | None
    """The column of that line, from 1."""
    help: str | None
    """How to mend it."""

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
    """A file, a text or arrays that describe no model."""


class StrategyError(CommonwealError):
    """A text that describes no strategy for the model."""


class QuestionError(CommonwealError):
    """A question that cannot be asked: a state or principal that is not there, a rule that there is not."""


class CertificateError(CommonwealError):
    """A certificate that cannot be written or read. One that is read and proves nothing is refused, not an error."""
