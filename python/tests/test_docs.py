"""Doctests, types, the examples, and the promise that the module binds the front door alone."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import muster
from conftest import ROOT

MODULES = ["muster"] + [f"muster.{module.name}" for module in pkgutil.iter_modules(muster.__path__) if module.name != "_muster"]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples_everywhere():
    tests = [test for name in MODULES for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)) if test.examples]
    assert {"muster", "SetClassifier", "SetEncoder", "SetKernel", "LocalFeatures", "Sets", "load", "read_dataset"} <= {
        test.name.split(".")[-1] for test in tests
    }


def test_everything_public_has_a_docstring():
    for name in muster.__all__:
        thing = getattr(muster, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def mypy(*arguments):
    run = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_types(tmp_path):
    mypy("mypy", "--cache-dir", str(tmp_path), "python/muster")


def test_stubs_are_what_the_module_has(tmp_path):
    (tmp_path / "allow").write_text("muster._muster.(Choice|DatasetDict|DecidingDict|Encoder|ExplanationDict|FitFacts|ItemViews|Kernel|Model|Report|TriedRecipe|Work)\n.*__(getstate|setstate|init|deepcopy)__\n")
    # Dictionaries are described, not defined, there; classes are made by pybind11's metaclass.
    mypy("mypy.stubtest", "muster._muster", "--allowlist", str(tmp_path / "allow"), "--ignore-unused-allowlist", "--mypy-config-file", "pyproject.toml")


def test_the_reference_is_what_the_docstrings_say():
    run = subprocess.run([sys.executable, ROOT / "scripts" / "python-api", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_every_file_is_part_of_the_package():
    files = {path.name for path in (ROOT / "python" / "muster").iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    assert files == {path.name for path in pathlib.Path(muster.__file__).parent.iterdir() if path.suffix in (".py", ".pyi", ".typed")}


def test_the_wheel_says_what_it_is(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "python" / "backend")
    import muster_build

    folder = tmp_path / muster_build.prepare_metadata_for_build_wheel(tmp_path)
    assert f"Version: {muster.__version__}\n" in (folder / "METADATA").read_text()
    assert f"Tag: cp{sys.version_info.major}{sys.version_info.minor}-" in (folder / "WHEEL").read_text()


def test_the_module_sees_the_front_door_only():
    for source in sorted((ROOT / "python" / "bindings").iterdir()):
        for header in re.findall(r'#include [<"](muster/[^>"]+)', source.read_text()):
            assert header == "muster/muster.h", f"{source.name} includes {header}"


@pytest.mark.parametrize("example", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda path: path.stem)
def test_examples(example, tmp_path):
    environment = {**os.environ, "PATH": os.pathsep.join([str(pathlib.Path(os.environ["MUSTER_COMMAND"]).parent), os.environ["PATH"]])}
    run = subprocess.run([sys.executable, example, "--quick"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    shares = [float(share) for share in re.findall(r"([0-9.]+) %", run.stdout)]
    assert shares and max(shares) > 50, run.stdout
