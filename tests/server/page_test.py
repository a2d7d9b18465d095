"""The server's page in headless Chromium."""

import sys

from browser import require_browser, run
from serving import MARKUP, Serving, data, kernel_model

TOKEN = "a-token-of-some-length"


def main():
    require_browser()
    (data() / "token").write_text(TOKEN + "\n")
    (data() / "not a picture.jpg").write_text("hello")
    one = data() / "pictures.muster"
    with (
        Serving("--quiet") as server,
        Serving("--quiet", "--token-file", data() / "token", models=[one]) as guarded,
        Serving("--quiet", "--training", data() / "pictures", models=[kernel_model()]) as kernel,
    ):
        return run(
            "page.test.mjs", URL=server.url, GUARDED_URL=guarded.url, KERNEL_URL=kernel.url, TOKEN=TOKEN, DATA=str(data()), MARKUP=MARKUP
        )


if __name__ == "__main__":
    sys.exit(main())
