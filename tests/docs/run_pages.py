"""Runs the commands of a page in a folder of its own, as a reader would, and compares what they print with what
the page shows."""

import os
import pathlib
import re
import subprocess

import pages

TOLERANCE = 0.1  # of shares and probabilities: other CPUs round otherwise, and the sample sets are small
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(\.\d+)?|(?<= )\.(?= )")


def shape_of(line):
    """A line without its numbers and its spacing: the cells of a confusion table may be numbers or dots."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", f" {line} ")).strip()


def shares_of(line):
    """The percentages of a line, and the probabilities that `predict` prints behind a tab."""
    percentages = [float(p) / 100 for p in re.findall(r"(\d+(?:\.\d+)?) %", line)]
    return percentages + [float(p) for p in re.findall(r"\t([01]\.\d{3})(?=\t|$)", line)]


def same_line(shown, printed):
    """A shown line that ends in `...` stands for every line that begins like it."""
    if shown.endswith("..."):
        return shape_of(printed).startswith(shape_of(shown[:-3]))
    if shape_of(shown) != shape_of(printed):
        return False
    return all(abs(a - b) <= TOLERANCE for a, b in zip(shares_of(shown), shares_of(printed)))


def output_error(shown, printed):
    """"" where the page's lines are those printed, in order; a line `...` stands for any number of lines."""
    at, free = 0, False
    for line in shown:
        if line.strip() == "...":
            free = True
            continue
        found = next((i for i in range(at, len(printed)) if same_line(line, printed[i])), None)
        if found is None or (found != at and not free):
            return f"the page shows\n    {line}\nbut the command printed\n    " + "\n    ".join(printed[at:] or ["(nothing more)"])
        at, free = found + 1, False
    if at != len(printed) and not free:
        return "the command printed more than the page shows:\n    " + "\n    ".join(printed[at:])
    return ""


def environment(muster):
    # Tests may run as root, which mpirun has to be told.
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **as_root, "PATH": os.pathsep.join([str(pathlib.Path(muster).resolve().parent), os.environ["PATH"]])}


def start(command, folder, muster, background):
    """Runs a command beside the rest of the page, once it has printed what the page shows."""
    process = subprocess.Popen(["bash", "-c", "exec " + command.text], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(muster))
    background.append(process)
    return output_error(command.output, [process.stdout.readline().rstrip() for _ in command.output])


def end(background):
    for process in background:
        process.terminate()
        process.communicate(timeout=30)


def run(command, folder, muster):
    done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", command.text], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(muster), timeout=120)
    printed = [line.rstrip() for line in done.stdout.split("\n")]
    while printed and not printed[-1]:
        printed.pop()
    if done.returncode != 0:
        return f"exit code {done.returncode}:\n    " + "\n    ".join(printed)
    return output_error(command.output, printed) if command.output else ""


def page_errors(page, folder, muster):
    """The first command that fails ends the page: those after it build on it."""
    background = []
    try:
        return errors_of_blocks(page, folder, muster, background)
    finally:
        end(background)


def errors_of_blocks(page, folder, muster, background):
    ran = 0  # blocks from files of the project are compiled and run by their own tests
    for block in pages.blocks_of(page):
        ran += block.mark == "from"
        if block.mark == "file":
            (folder / block.value).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if block.language != "console" or block.mark == "not run":
            continue
        for command in pages.commands_of(block):
            wrong = start(command, folder, muster, background) if block.mark == "background" else run(command, folder, muster)
            if wrong:
                return [f"{command.where()}: {command.text}\n  {wrong}"]
            ran += 1
    return [] if ran else [f"{pages.name_of(page)}: there is nothing to run; is a block of commands marked console?"]
