"""The pages: every example runs, the list of names is complete, and notebooks print what they show."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import commonweal

from .conftest import ROOT

PAGE = ROOT / "docs" / "python.md"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", [name for _, name, _ in pkgutil.iter_modules(commonweal.__path__) if name != "_core"])
def test_examples_in_the_documentation_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"commonweal.{name}")).failed == 0


def test_examples_of_the_package_run() -> None:
    assert doctest.testmod(commonweal).failed == 0
    assert doctest.testmod(commonweal).attempted > 0


@pytest.mark.parametrize("page", [PAGE, ROOT / "README.md", ROOT / "crates/commonweal-py/README.md"], ids=lambda p: p.name)
def test_code_on_pages_runs_and_prints_what_the_comments_say(page: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Blocks of one page share their names. `print(x)  # y` and a last `x  # y` must give y."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    blocks = [block for block in blocks if not block.startswith(">>>")]
    assert blocks or page.name == "README.md"
    for block in blocks:
        lines = block.splitlines()
        for node in ast.parse(block).body:
            code = ast.get_source_segment(block, node)
            assert code is not None
            assert node.end_lineno is not None
            comment = lines[node.end_lineno - 1].partition("  # ")[2].strip()
            is_print = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and code.startswith("print(")
            if not comment or not isinstance(node, ast.Expr):
                exec(compile(code, str(page), "exec"), names)
            elif is_print:
                said: list[str] = []
                names["print"] = lambda *parts, said=said: said.append(" ".join(map(str, parts)))
                exec(compile(code, str(page), "exec"), names)
                del names["print"]
                assert said == [comment], code
            else:
                assert repr(eval(code, names)) == comment, code


def test_the_list_of_names_is_made_from_the_documentation() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import python_api  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    made = python_api.update(PAGE.read_text())
    if os.environ.get("UPDATE_EXPECT"):
        PAGE.write_text(made)
    assert made == PAGE.read_text(), "UPDATE_EXPECT=1 scripts/test-python writes it anew"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run_and_show_what_they_compute(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    # Pictures are shown in the page.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    kept = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    kernel = nbclient.NotebookClient(again, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}})
    kernel.execute()
    if os.environ.get("UPDATE_EXPECT"):
        for cell in again.cells:
            cell.metadata.pop("execution", None)
            if cell.cell_type == "code":
                # How the text came in pieces differs from run to run.
                merged = [output for output in cell.outputs if output.output_type != "stream"]
                text = shown(cell)[0]
                cell.outputs = [*([nbformat.v4.new_output("stream", text=text)] if text else []), *merged]
        nbformat.write(again, path)
        kept = again
    assert any(cell.cell_type == "code" for cell in kept.cells)
    for old, new in zip(kept.cells, again.cells, strict=True):
        if old.cell_type == "code":
            assert shown(old) == shown(new), old.source


def shown(cell: Any) -> list[str]:
    """The texts that a cell shows. Pictures are only counted: they are another machine's bytes."""
    texts = ["".join(output.text for output in cell.outputs if output.output_type == "stream")]
    for output in cell.outputs:
        if output.output_type == "stream":
            continue
        if "image/png" in output.get("data", {}):
            texts.append("a picture")
        else:
            texts.append(output.data.get("text/plain", ""))
    return texts


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"quickstart", "health-care", "climate"}
