"""Reads the project's Markdown pages: code blocks with the marks above them, inline code, links, headings.

A mark is an HTML comment on the line before a block:
  <!-- not run: REASON -->   the commands are only looked over (options and recipes must exist)
  <!-- file: NAME -->        the block is written to NAME before the commands below it run
  <!-- from: PATH -->        the lines of the block stand, in this order, in this file of the project
  <!-- background: ... -->   the command runs until the end of the page; the lines shown are its first ones
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = re.compile(r"<!-- (not run|file|from|background): (.*?) -->$")


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int  # of its first line, from 1
    language: str  # "" for an indented block
    lines: list
    span: range  # line numbers, fences included
    mark: str = ""
    value: str = ""

    def where(self, offset=0):
        return f"{name_of(self.page)}:{self.line + offset}"


def name_of(page):
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.as_posix()


def all_pages():
    return sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))


def pages_to_run():
    return [ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "commands.md"] + sorted((ROOT / "docs" / "how-to").glob("*.md"))


def blocks_of(page):
    """The code blocks of a page, fenced and indented, in their order."""
    lines = page.read_text(encoding="utf-8").split("\n")
    blocks, mark, i = [], ("", ""), 0
    while i < len(lines):
        text = lines[i]
        found = MARK.match(text)
        if found:
            mark = found.groups()
        elif text.startswith("```"):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith("```")), None)
            if end is None:
                raise ValueError(f"{name_of(page)}:{i + 1}: a code block that does not end")
            blocks.append(Block(page, i + 2, text[3:].strip(), lines[i + 1 : end], range(i + 1, end + 2), *mark))
            mark, i = ("", ""), end
        elif text.startswith("    ") and (i == 0 or not is_item(lines, i)):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            body = [t[4:] for t in lines[i:end]]
            while not body[-1].strip():
                body.pop()
            blocks.append(Block(page, i + 1, "", body, range(i + 1, end + 1), *mark))
            mark, i = ("", ""), end - 1
        elif text.strip():
            mark = ("", "")
        i += 1
    return blocks


def is_item(lines, i):
    """Whether an indented line goes on with a list item instead of beginning a block."""
    for text in reversed(lines[:i]):
        if not text.strip():
            continue
        return bool(re.match(r"\s*([-*]|\d+\.) ", text)) or (text.startswith("  ") and not text.startswith("    "))
    return False


@dataclasses.dataclass
class Command:
    text: str
    block: Block
    offset: int
    output: list  # what the page shows below it

    def where(self):
        return self.block.where(self.offset)


def commands_of(block):
    """`$ command` lines with what the page shows below them; without a `$`, the lines that begin with muster."""
    prompts = any(t.startswith("$ ") for t in block.lines)
    commands, i = [], 0
    while i < len(block.lines):
        text, offset = block.lines[i], i
        begins = text.startswith("$ ") if prompts else text.startswith("muster ")
        if begins:
            text = text[2:] if prompts else text
            while text.endswith("\\") and i + 1 < len(block.lines):
                i += 1
                text = text[:-1].rstrip() + " " + block.lines[i].strip()
            commands.append(Command(text, block, offset, []))
        elif prompts and commands:
            commands[-1].output.append(text)
        i += 1
    for command in commands:
        while command.output and not command.output[-1].strip():
            command.output.pop()
    return commands


def outside_code(page):
    """(line number, text) of the lines that are not in a code block."""
    inside = {number for block in blocks_of(page) for number in block.span}
    for number, text in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if number not in inside:
            yield number, text
