"""The studio's page in headless Chromium, from an empty folder."""

import pathlib
import sys
import tempfile

from browser import require_browser, run
from serving import Serving, muster


def main():
    require_browser()
    with tempfile.TemporaryDirectory(prefix="muster-studio-") as name:
        root = pathlib.Path(name)
        muster("synth", root / "drawn", "--classes", 3, "--per-class", 18, "--size", "160x120", "--quiet")
        folder = root / "studio"
        with Serving("--quiet", command=["studio", folder]) as studio:
            return run("studio.test.mjs", URL=studio.url, DATA=str(root / "drawn"), FOLDER=str(folder))


if __name__ == "__main__":
    sys.exit(main())
