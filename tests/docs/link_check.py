"""Every link within the project leads somewhere, every file of the project that a page names exists, every block
that is marked as taken from a file stands there, and ARCHITECTURE.md lists the folders in their order."""

import re

import pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# Paths from the top of the project, and `folder/file.h` within src/muster. Scripts have no ending.
FILE = re.compile(r"(?<![\w./{-])((?:src/muster|cli|bench|tests|docs|web|examples|cmake|packaging)/[\w/-]+\.[a-z]+|scripts/[a-z][a-z0-9-]*|[a-z]+/\w+\.(?:h|cc))\b")


def anchor_of(heading):
    """The anchor that GitHub and GitLab give a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(page):
    return {anchor_of(text.lstrip("#")) for _, text in pages.outside_code(page) if re.match(r"#{1,6} ", text)}


def link_error(page, target):
    if re.match(r"[a-z]+:", target):
        return ""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"the link {target} leads nowhere"
    if anchor and anchor not in anchors_of(file):
        return f"{target}: there is no such heading"
    return ""


def source_error(block):
    file = pages.ROOT / block.value
    if not file.is_file():
        return f"{block.value} does not exist"
    rest = iter([line.strip() for line in file.read_text(encoding="utf-8").split("\n")])
    for line in block.lines:
        if line.strip() and line.strip() not in rest:
            return f"'{line.strip()}' does not stand in {block.value}, or not in this order"
    return ""


def page_errors(page):
    errors = []
    for number, text in pages.outside_code(page):
        errors += [f"{pages.name_of(page)}:{number}: {e}" for t in LINK.findall(text) if (e := link_error(page, t))]
    for block in pages.blocks_of(page):
        wrong = source_error(block) if block.mark == "from" else ""
        errors += [f"{block.where()}: {wrong}"] if wrong else []
        if block.language == "cpp" and block.mark != "from":
            errors.append(f"{block.where()}: C++ that no test compiles; take it from a file in examples/ and mark it")
    for number, text in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for file in FILE.findall(text):
            if not any((pages.ROOT / base / file).exists() for base in ("", "src", "src/muster")):
                errors.append(f"{pages.name_of(page)}:{number}: {file} does not exist")
    return errors


def folder_errors(architecture, order):
    """The rows `| folder/ | ...` of the one text against the folders after foreach(folder in the other."""
    listed = re.findall(r"^\| ([a-z]+)/ \|", architecture, re.M)
    built = re.search(r"foreach\(folder ([a-z\s]+)\)", order)[1].split()
    return [] if listed == built else [f"ARCHITECTURE.md lists the folders {' '.join(listed)}, but they are {' '.join(built)}"]
