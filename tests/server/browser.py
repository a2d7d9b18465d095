"""Runs a test file of pages in headless Chromium with Node."""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent / "report_e2e"  # whose packages are used


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def require_browser():
    """Exit code 77 (skipped) if Node or Chromium is missing (scripts/install page brings them), or npm's packages (tests/report_e2e/fetch does)."""
    for program in ("node", "chromium"):
        if not shutil.which(program):
            skip(f"{program} is not installed (scripts/install page)")
    if not (MODULES / "node_modules/axe-core").exists():
        skip("playwright-core and axe-core are not there (tests/report_e2e/fetch)")


def run(test_file, **environment):
    """The exit code."""
    return subprocess.run(["node", "--test", HERE / test_file], timeout=280, env={**os.environ, **environment}).returncode
