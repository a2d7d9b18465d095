"""The server's page in headless Chromium. Exit code 77 (skipped) if Node, npm or Chromium is missing; scripts/install page brings them."""

import os
import pathlib
import shutil
import subprocess
import sys

from serving import MARKUP, Serving, data

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent / "report_e2e"  # whose packages are used
TOKEN = "a-token-of-some-length"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def main():
    for program in ("node", "npm", "chromium"):
        if not shutil.which(program):
            skip(f"{program} is not installed (scripts/install page)")
    if not (MODULES / "node_modules/axe-core").exists():
        fetched = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=MODULES, timeout=180, capture_output=True, text=True)
        if fetched.returncode != 0:
            skip(f"playwright-core and axe-core cannot be fetched: {fetched.stderr}")
    (data() / "token").write_text(TOKEN + "\n")
    (data() / "not a picture.jpg").write_text("hello")
    one = data() / "pictures.muster"
    with Serving("--quiet") as server, Serving("--quiet", "--token-file", data() / "token", models=[one]) as guarded:
        done = subprocess.run(["node", "--test", HERE / "page.test.mjs"], timeout=280,
                              env={**os.environ, "URL": server.url, "GUARDED_URL": guarded.url, "TOKEN": TOKEN, "DATA": str(data()), "MARKUP": MARKUP})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
