"""Looks over every muster command and every recipe in the pages without running it: the command, its options,
the methods, stages and stage options that it names must exist."""

import functools
import json
import re
import shlex
import subprocess

import pages

SHELL_WORDS = re.compile(r"^(\||>|2>|&&|;|<)")
RECIPE_OPTIONS = {"-r", "--recipe"}
METHOD_OPTIONS = {"-m", "--method", "--methods"}


class Vocabulary:
    """What the command knows, asked from the command itself."""

    def __init__(self, muster):
        self.muster = muster
        self.commands = set(re.findall(r"^  ([a-z][a-z-]*) {2,}", self.ask("--help").split("Subcommands:")[1], re.M))
        known = json.loads(self.ask("methods", "--json"))
        self.stages = {s["name"]: {o["name"] for o in s["options"]} for s in known["stages"]}
        self.presets = {p["name"] for p in known["presets"]}

    def ask(self, *arguments):
        return subprocess.run([self.muster, *arguments], check=True, capture_output=True, text=True).stdout

    @functools.lru_cache
    def options_of(self, command):
        """{"-o": True, "--quiet": False, ...}: the options of a command, and whether each takes a value."""
        options = {}
        for line in self.ask(command, "--help").split("\n"):
            found = re.match(r"  (-[^ ]+)( +[A-Z]+)?", line)
            if found:
                options.update({name: bool(found[2]) for name in found[1].split(",")})
        return options


def recipe_error(recipe, known):
    """What is wrong with a recipe, or "". Placeholders in capitals or braces ($S, {dim}, ...) may stand for anything."""
    for stage in re.split(r"//|[/+]", recipe.rstrip("/")):
        name, _, options = stage.partition(":")
        if name in known.presets and "/" not in recipe:
            continue
        if name not in known.stages:
            return f"'{name}' is not a stage"
        for option in re.split(r",(?=[A-Za-z_]\w*=)", options) if options else []:
            key = option.partition("=")[0]
            if not key.startswith(("$", "{", "...")) and key not in known.stages[name]:
                return f"{name} has no option '{key}'"
    return ""


def is_recipe(text, known):
    """Whether a piece of inline code or the beginning of a line reads as a recipe that starts with a stage."""
    if re.search(r"[^\w:=,.+/$-]", text) or text.endswith("..."):
        return False
    first = re.split(r"[/+:]", text)[0]
    return first in known.stages and ("/" in text or ":" in text and "=" in text)


def split(text):
    """The words of a command up to the first pipe, redirection or comment."""
    words = []
    for word in shlex.split(text, comments=True):
        if SHELL_WORDS.match(word):
            break
        words.append(word)
    return words


def command_errors(text, known):
    words = split(text.replace("[", "").replace("]", ""))
    if len(words) < 2 or words[1].startswith("-") or words[1] in ("help", "COMMAND"):
        return []
    if words[1] not in known.commands:
        return [f"'{words[1]}' is not a command"]
    options, errors = known.options_of(words[1]), []
    for word, value in zip(words[2:], words[3:] + [""]):
        if not re.match(r"--?[A-Za-z]", word):
            continue
        name = word.partition("=")[0]
        if name not in options:
            errors.append(f"muster {words[1]} has no option {name}")
        elif name in RECIPE_OPTIONS and value and value not in ("R", "RECIPE"):
            wrong = recipe_error(value, known)
            errors += [f"recipe '{value}': {wrong}"] if wrong else []
        elif name in METHOD_OPTIONS and words[1] != "match" and value.islower():
            errors += [f"'{m}' is not a method" for m in value.split(",") if m not in known.presets]
    return errors


def page_errors(page, known):
    errors = []
    for block in pages.blocks_of(page):
        for command in pages.commands_of(block):
            errors += [f"{command.where()}: {e}" for e in command_errors(command.text, known) if command.text.startswith("muster ")]
        for offset, line in enumerate(block.lines if block.language in ("", "text") else []):
            first = (line.split() or [""])[0]
            wrong = recipe_error(first, known) if is_recipe(first, known) else ""
            errors += [f"{block.where(offset)}: recipe '{first}': {wrong}"] if wrong else []
    for number, line in pages.outside_code(page):
        for code in re.findall(r"`([^`]+)`", line):
            at = f"{pages.name_of(page)}:{number}"
            if code.startswith("muster "):
                errors += [f"{at}: {e}" for e in command_errors(code, known)]
            elif is_recipe(code, known):
                wrong = recipe_error(code, known)
                errors += [f"{at}: recipe '{code}': {wrong}"] if wrong else []
    return errors
