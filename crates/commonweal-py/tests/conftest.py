"""Where things are: the repository, the program, models of other tools."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import commonweal as cw

ROOT = Path(__file__).resolve().parents[3]
HOTEL = """
principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}
  s1: {b: {reward: 6, to: s1}}
"""


# Skips that `scripts/test-python` does not expect are failures: a test that does not run shows nothing.
EXPECTED_SKIPS = os.environ.get("COMMONWEAL_EXPECTED_SKIPS")
_unexpected: list[str] = []


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    if EXPECTED_SKIPS is None or not report.skipped:
        return
    reason = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(part and part in reason for part in EXPECTED_SKIPS.split(",")):
        _unexpected.append(f"{report.nodeid}: {reason}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _unexpected:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _unexpected:
        terminalreporter.section("skipped, and not expected to be")
        for line in _unexpected:
            terminalreporter.line(line)


@pytest.fixture
def hotel() -> cw.Model:
    return cw.Model.from_yaml(HOTEL)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program `commonweal`, which results are compared with."""
    found = Path(os.environ.get("COMMONWEAL", ROOT / "target" / "release" / "commonweal"))
    if not found.exists():
        pytest.skip(f"no program at {found}; `cargo build --release` makes one")
    return found


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder with models of other tools, which is not part of the repository."""
    found = Path(os.environ.get("COMMONWEAL_MODELS", ROOT.parent / "shared" / "models"))
    if not found.is_dir():
        pytest.skip(f"no models of other tools in {found}")
    return found


def run(program: Path, *arguments: str) -> str:
    """What the program prints on standard output."""
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout
