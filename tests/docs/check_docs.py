"""Tests of the documentation:  check_docs.py links | parse MUSTER | run MUSTER

links: links, scripts and blocks taken from files. parse: every command and recipe in every page names what exists.
run: the commands of README, tutorial and how-to pages do what the pages show."""

import concurrent.futures
import pathlib
import sys
import tempfile

import link_check
import pages
import parse_check
import run_pages


def run_page(page, muster):
    with tempfile.TemporaryDirectory(prefix="muster-docs-") as folder:
        return run_pages.page_errors(page, pathlib.Path(folder), muster)


def errors_of(what, muster):
    if what == "links":
        texts = [(pages.ROOT / name).read_text(encoding="utf-8") for name in ("ARCHITECTURE.md", "src/muster/CMakeLists.txt")]
        return [e for page in pages.all_pages() for e in link_check.page_errors(page)] + link_check.folder_errors(*texts)
    if what == "parse":
        known = parse_check.Vocabulary(muster)
        return [e for page in pages.all_pages() for e in parse_check.page_errors(page, known)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [e for errors in pool.map(lambda page: run_page(page, muster), pages.pages_to_run()) for e in errors]


def main(arguments):
    if not arguments or arguments[0] not in ("links", "parse", "run") or len(arguments) != (1 if arguments[0] == "links" else 2):
        print(__doc__, file=sys.stderr)
        return 2
    errors = errors_of(arguments[0], arguments[-1])
    print("\n".join(errors) or "all well")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
