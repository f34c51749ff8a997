"""The project's own files: docstrings, pins, what a wheel holds, what no file may hold."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from interrogate.config import InterrogateConfig
from interrogate.coverage import InterrogateCoverage

from montecarlo import data_files

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# written so that this file does not match them
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:root|home|Users|work)/[\w.]")
REGISTRY = re.compile(r"index[-]url|\"resolved\": *\"http|https?:/[/][^ ]+/(?:simple|packages)/")


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name]


def test_every_public_name_has_a_docstring() -> None:
    config = InterrogateConfig(
        ignore_init_module=True,
        ignore_magic=True,
        ignore_nested_functions=True,
        ignore_nested_classes=True,
        ignore_private=True,
        ignore_semiprivate=True,
        ignore_overloaded_functions=True,
    )
    results = InterrogateCoverage(paths=[str(ROOT / "montecarlo")], conf=config).get_coverage()
    missing = [
        f"{Path(file.filename).name}: {node.name}"
        for file in results.file_results
        for node in file.nodes
        if not node.covered
    ]
    assert results.covered > 0
    assert missing == []


def test_no_tracked_file_names_this_machine_or_a_registry() -> None:
    found = []
    own = (f"{ROOT}{os.sep}", f"{Path.home()}{os.sep}")
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # an image, or a file deleted but not yet committed so
        for number, line in enumerate(text.splitlines(), start=1):
            if MACHINE_PATH.search(line) or REGISTRY.search(line) or any(p in line for p in own):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []


def test_the_patterns_find_what_they_look_for() -> None:
    for line in ("cd /" + "home/someone/x", 'open("/' + 'work/main/data")'):
        assert MACHINE_PATH.search(line)
    for line in ("--extra-index" + "-url x", "https:" + "//example.org/simple/numpy"):
        assert REGISTRY.search(line)
    assert not MACHINE_PATH.search("https://example.org/home/page and src/wo" + "rk/a.py")


def test_requirements_pin_every_dependency_with_hashes() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", "\n".join(x for x in text.splitlines() if x[:1] != "#"))
    pinned = set()
    for block in blocks:
        name = re.match(r"([\w.-]+)==[\w.!+]+( ;[^\\]+)? \\\n", block)
        assert name, f"no exact version: {block[:60]}"
        assert "--hash=sha256:" in block
        pinned.add(re.sub(r"[-_.]+", "-", name[1]).lower())
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *extras["dask"], *extras["dev"]]:
        assert re.split(r"[\[<>=~! ]", requirement)[0].lower() in pinned
    assert "://" not in text


def test_every_import_is_a_declared_dependency() -> None:
    extras = PROJECT["optional-dependencies"]
    declared = {
        re.split(r"[\[<>=~! ]", requirement)[0].lower()
        for requirement in [*PROJECT["dependencies"], *extras["dask"]]
    }
    # llvmlite is numba's, distributed dask's, and click came with older releases of typer
    declared |= {"montecarlo", "llvmlite", "distributed", "click"}
    undeclared = set()
    for path in (ROOT / "montecarlo").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for top in (name.partition(".")[0] for name in names):
                if (
                    top not in sys.stdlib_module_names
                    and top.lower().replace("_", "-") not in declared
                ):
                    undeclared.add(f"{path.name}: {top}")
    assert undeclared == set()


def test_data_files_of_this_checkout() -> None:
    assert data_files.data_path() == ROOT / "data"
    assert data_files.notebook_path("x.ipynb") == ROOT / "notebooks" / "x.ipynb"


@pytest.mark.slow
def test_a_wheel_carries_its_data(tmp_path: Path) -> None:
    """Build a wheel and unpack it elsewhere: every tracked file is there and finds the data."""
    source = tmp_path / "source"  # a copy: building leaves folders behind
    for name in tracked_files():
        if name.is_file():
            copy = source / name.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(name, copy)
    build = ["-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([sys.executable, *build, str(source)], check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("montecarlo-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    homes = {"montecarlo": "", "data": "_data", "notebooks": "_notebooks"}
    for folder, inside in homes.items():
        files = [path for path in (source / folder).rglob("*") if path.is_file()]
        assert files
        for path in files:
            copy = installed / "montecarlo" / inside / path.relative_to(source / folder)
            assert copy.is_file(), f"not in the wheel: {path.relative_to(source)}"
    code = "from montecarlo.data_files import data_path; print(data_path('claims'))"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    seen = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(seen.stdout.strip()) == (installed / "montecarlo" / "_data" / "claims").resolve()
