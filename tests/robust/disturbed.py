"""Commands that are disturbed: by calls of the system that fail, or by signals.

    disturbed.py faults MUSTER FAULTS_LIBRARY [--most N] [--most-malloc N] [--commands NAME,...]
    disturbed.py kills MUSTER [--count N] [--commands NAME,...]

Every command writes its output beside an older one. However it is disturbed, it must end with a documented exit
code (a signal only if one was sent), leave the old output or the whole new one under its name, no temporary file
(unless it was killed by force), and give the undisturbed output when it is run again. A command that only prints
must print the same if it reports success.

Every call of a function fails once, from the first to the last that the command makes; with --most only so many of
them, evenly spread. Memory is asked for tens of thousands of times, so that it has a number of its own.
"""
import argparse
import array
import collections
import errno
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ERRORS = {
    "open": [errno.EMFILE, errno.EIO],
    "read": [errno.EIO, -1],
    "write": [errno.ENOSPC, errno.EIO, -1],
    "pwrite": [errno.ENOSPC, -1],
    "fsync": [errno.EIO, errno.ENOSPC],
    "rename": [errno.EIO],
    "mmap": [errno.ENOMEM],
    "malloc": [errno.ENOMEM],
}
DOCUMENTED = {0, 1, 2, 3, 130}
DIFFERING = {"seconds", "machine", "created", "peak_memory_mib"}  # from run to run, in results
CLASSIFIER = "bow:words=4/linear-svm:C=1"
PATIENCE_S = 300
ALL = 10**9
OLD = b"old"


def write_npy(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    header = header.ljust(117) + "\n"
    values = array.array("f", [v for row in rows for v in row])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


Run = collections.namedtuple("Run", "code out err seconds")
Expected = collections.namedtuple("Expected", "files printed seconds")


class Commands:
    def __init__(self, muster, folder):
        self.muster, self.folder = muster, folder
        (folder / "tmp").mkdir()
        rng = random.Random(5)
        for c, name in enumerate(("left", "right", "more/third")):
            for i in range(6):
                rows = [[rng.gauss(c, 0.3), rng.gauss(-c, 0.3)] for _ in range(8)]
                parent = folder / ("sets" if c < 2 else "") / name
                write_npy(parent / f"{i}.npy", rows)
        sets, pictures = ["--recipe", CLASSIFIER], ["--recipe", "dsift:step=16/" + CLASSIFIER]
        fisher = ["--recipe", "fisher:components=2/linear-svm:C=1"]
        cells = ["--recipe", "dsift:step=16/spm:words=4,levels=1/kernel-svm:C=1"]
        self.run_ok(["synth", "pictures", "--classes", "2", "--per-class", "3", "--size", "48x48"])
        self.run_ok(["train", "sets", "-o", "model.muster", *sets, "--keep-training"])
        self.run_ok(["train", "pictures", "-o", "seen.muster", *pictures])
        first, second = sorted(str(path) for path in (folder / "pictures").rglob("*0000.png"))
        # name: (arguments, outputs); one without outputs prints its result
        self.all = {
            "train": (["train", "sets", "-o", "out", *sets], ["out"]),
            "universal": (["train", "sets", "-o", "out", "--save-universal", "out2", *fisher], ["out", "out2"]),
            "cached": (["train", "pictures", "-o", "out", "--cache", "cache", *pictures], ["out"]),
            "add-class": (["add-class", "model.muster", "more", "-o", "out"], ["out"]),
            "fuse": (["fuse", "model.muster", "model.muster", "-o", "out"], ["out"]),
            "encode": (["encode", "sets/left", "-o", "out.npy", "--recipe", "bow:words=4"], ["out.npy"]),
            "encode-text": (["encode", "sets/left", "-o", "out.libsvm", "--recipe", "bow:words=4"], ["out.libsvm"]),
            "gram": (["gram", "sets/left", "-o", "out.npy", "--recipe", "bow:words=4/rbf"], ["out.npy"]),
            "explain": (["explain", "model.muster", "sets/left/0.npy", "-o", "out.npy"], ["out.npy"]),
            "explain-map": (["explain", "seen.muster", first, "-o", "out.png"], ["out.png"]),
            "match": (["match", first, second, "-o", "out.png", "-m", "pmk", "--recipe", "dsift:step=16"], ["out.png"]),
            "extract": (["extract", "pictures", "-o", "folder", "--recipe", "dsift:step=16"], ["folder"]),
            "synth": (["synth", "folder", "--classes", "2", "--per-class", "4", "--size", "32x32"], ["folder"]),
            "bench": (["bench", "sets", "-o", "folder", "--splits", "2", "--train", "3", *sets], ["folder"]),
            "weights": (["weights", "pictures", "-o", "folder", *cells], ["folder"]),
            "reproduce": (["reproduce", "emk-fig1", "--quick", "-o", "folder"], ["folder"]),
            "predict": (["predict", "model.muster", "sets/left/0.npy", "sets/right/1.npy", "--json"], []),
            "predict-cached": (["predict", "seen.muster", first, second, "--cache", "cache", "--json"], []),
            "evaluate": (["evaluate", "model.muster", "sets"], []),
            "similar": (["similar", "model.muster", "sets", "sets/left/0.npy", "--json"], []),
            "inspect": (["inspect", "sets"], []),
            "info": (["info", "model.muster"], []),
        }

    def choose(self, names):
        if names:
            self.all = {name: self.all[name] for name in names.split(",")}

    def run(self, arguments, environment=None, meanwhile=None):
        start = time.monotonic()
        process = subprocess.Popen([self.muster, *arguments, "--threads", "2"], cwd=self.folder,
                                   env={**os.environ, "TMPDIR": str(self.folder / "tmp"), **(environment or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if meanwhile:
            meanwhile(process)
        for _ in range(PATIENCE_S):  # second by second: a machine that is stopped for minutes is not a command that hangs
            try:
                out, err = process.communicate(timeout=1)
                return Run(process.returncode, without_forecast(out), err.decode(errors="replace"), time.monotonic() - start)
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        process.communicate()
        return Run(None, b"", "it hangs", PATIENCE_S)

    def run_ok(self, arguments):
        run = self.run(arguments)
        assert run.code == 0, (arguments, run)
        return run

    def prepare(self, outputs):
        """Old files where new ones will be, and nothing else."""
        for name in ("out", "out2", "out.npy", "out.libsvm", "out.png"):
            (self.folder / name).unlink(missing_ok=True)
        for name in ("folder", "cache", "tmp"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "tmp").mkdir()
        for name in outputs:
            if name != "folder":
                (self.folder / name).write_bytes(OLD)
        for path in self.leftovers():  # of a run that was killed by force
            Path(path).unlink()

    def leftovers(self):
        return [str(path) for path in [*self.folder.rglob(".muster-*.tmp"), *(self.folder / "tmp").iterdir()]]

    def content(self, outputs):
        """What is under the final names, without what differs from run to run."""
        out = {}
        for name in outputs:
            path = self.folder / name
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            for file in files:
                if file.is_file() and not file.name.startswith(".muster-"):
                    out[str(file.relative_to(self.folder))] = stable(file)
        return out


def without_forecast(printed):
    return b"\n".join(line for line in printed.split(b"\n") if not line.startswith(b"forecast:"))


def stable(file):
    data = file.read_bytes()
    if data == OLD:
        return data
    if file.suffix == ".json":
        try:
            record = json.loads(data)
        except ValueError:
            return b"cut short"

        def without_times(value):
            if isinstance(value, dict):
                return {k: without_times(v) for k, v in value.items() if k not in DIFFERING}
            return [without_times(v) for v in value] if isinstance(value, list) else value

        return json.dumps(without_times(record)).encode()
    if file.suffix == ".html":  # it shows times, as tables do
        return b"whole" if data.rstrip().endswith(b"</html>") else b"cut short"
    if file.suffix == ".csv":
        return b"whole" if data.endswith(b"\n") else b"cut short"
    return data


class Judge:
    """Counts runs, and what went wrong."""

    def __init__(self, commands):
        self.commands, self.runs, self.failures = commands, 0, []
        self.ends = collections.Counter()

    def expected(self, name):
        arguments, outputs = self.commands.all[name]
        self.commands.prepare([])
        run = self.commands.run_ok(arguments)
        return Expected(self.commands.content(outputs), run.out, run.seconds)

    def wrong_files(self, found, expected, before):
        wrong = [f"{file} is lost" for file in before if file not in found]
        for file, data in found.items():
            # A bench writes its record after every split.
            unfinished = file.startswith("folder/results") and data != b"cut short"
            if data != before.get(file) and data != expected.get(file) and not unfinished:
                wrong.append(f"{file} is neither old nor new")
        return wrong

    def judge(self, name, what, run, expected, by_force=False, allowed=()):
        """Returns how long the command took when it was run again: always after a signal, else if anything changed."""
        arguments, outputs = self.commands.all[name]
        files, printed = expected.files, expected.printed
        before = {file: OLD for file in outputs if file != "folder"}
        self.runs += 1
        self.ends["hang" if run.code is None else run.code] += 1
        wrong = []
        # An item that cannot be read is left out of a batch, and named: that is what it must do.
        left_out = run.code == 0 and (b"cannot read '" in run.out or
                                      any(text in run.err for text in ("left out: cannot read", "are left out")))
        if run.code is None or (run.code not in DOCUMENTED and run.code not in allowed):
            wrong.append(f"exit {run.code}")
        found = self.commands.content(outputs)
        if not left_out:
            wrong += self.wrong_files(found, files, before)
        if run.code == 0 and not left_out and (found != files or (not outputs and run.out != printed)):
            wrong.append("success, but the output is not there or another")
        if self.commands.leftovers() and not by_force:
            wrong.append(f"left over: {self.commands.leftovers()}")
        seconds = None
        made = any((self.commands.folder / name).exists() for name in ("folder", "cache"))
        if allowed or found != before or self.commands.leftovers() or made:  # else it is as it was before the run
            seconds = self.run_again(arguments, outputs, files, printed, left_out, wrong)
        if wrong:
            self.failures.append(f"{name}, {what}: {'; '.join(wrong)}\n    {run.err.strip()[-300:]}")
            print(self.failures[-1], flush=True)
        return seconds

    def run_again(self, arguments, outputs, files, printed, left_out, wrong):
        again = self.commands.run(arguments)
        if again.code != 0:
            wrong.append(f"run again: exit {again.code}: {again.err}")
        elif self.commands.content(outputs) != files and not (left_out and outputs == ["folder"]):
            wrong.append("run again, the output is another")
        elif not outputs and again.out != printed:
            wrong.append("run again, it prints something else")
        return again.seconds


def count_calls(commands, name, environment):
    arguments, outputs = commands.all[name]
    commands.prepare(outputs)
    run = commands.run(arguments, {**environment, "MUSTER_FAULT": "count"})
    assert run.code == 0, (name, run)
    return read_counts(environment)


def read_counts(environment):
    lines = Path(environment["MUSTER_FAULT_COUNTS"]).read_text().splitlines()
    return {function: int(count) for function, count in (line.split() for line in lines)}


def places(count, most):
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)}) if most > 1 else [count]


def faults(commands, library, most, most_malloc):
    judge = Judge(commands)
    totals = collections.Counter()
    for name, (arguments, outputs) in commands.all.items():
        expected = judge.expected(name)
        environment = {"LD_PRELOAD": library, "MUSTER_FAULT_COUNTS": str(commands.folder / "counts")}
        counts = count_calls(commands, name, environment)
        tried = collections.Counter()
        for function, errors in ERRORS.items():
            for error in errors:
                for n in places(counts[function], most_malloc if function == "malloc" else most):
                    commands.prepare(outputs)
                    run = commands.run(arguments, {**environment, "MUSTER_FAULT": f"{function}:{n}:{error}"})
                    judge.judge(name, f"{function} {n} of {counts[function]}, error {error}", run, expected)
                    tried[function] += 1
        totals += tried
        print(f"{name}: " + ", ".join(f"{function} {tried[function]} ({counts[function]} calls)" for function in ERRORS
                                      if counts[function]), flush=True)
    print("in all: " + ", ".join(f"{function} {count}" for function, count in totals.items()))
    return judge


def kills(commands, count):
    """Until `count` runs were ended by a signal: some are done before it comes."""
    commands.all = {name: command for name, command in commands.all.items() if command[1]}
    judge, rng = Judge(commands), random.Random(7)
    expected = {name: judge.expected(name) for name in commands.all}
    seconds = {name: expected[name].seconds for name in commands.all}
    ended = collections.Counter()
    for name in itertools.cycle(commands.all):
        if ended.total() == count:
            break
        arguments, outputs = commands.all[name]
        number = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        commands.prepare(outputs)

        def meanwhile(process):
            time.sleep(rng.uniform(0, seconds[name]))
            process.send_signal(number)

        run = commands.run(arguments, meanwhile=meanwhile)
        # Before it watches for them, any signal ends it at once.
        again = judge.judge(name, f"signal {number}", run, expected[name], by_force=number == signal.SIGKILL,
                            allowed={-number})
        ended[name] += run.code in (-number, 130)
        if again:  # the machine may have become slower or faster
            seconds[name] = again
    print("ended by a signal: " + ", ".join(f"{name} {ended[name]}" for name in ended))
    return judge


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["faults", "kills"])
    parser.add_argument("muster")
    parser.add_argument("library", nargs="?")
    parser.add_argument("--most", type=int, default=ALL)
    parser.add_argument("--most-malloc", type=int)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--commands")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="muster-disturbed-"))
    try:
        commands = Commands(os.path.abspath(args.muster), folder)
        commands.choose(args.commands)
        if args.mode == "faults":
            most_malloc = args.most if args.most_malloc is None else args.most_malloc
            judge = faults(commands, os.path.abspath(args.library), args.most, most_malloc)
        else:
            judge = kills(commands, args.count)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    ends = ", ".join(f"{end}: {count}" for end, count in sorted(judge.ends.items(), key=str))
    print(f"{args.mode}: {judge.runs} disturbed runs of {len(commands.all)} commands, {len(judge.failures)} failed")
    print(f"they ended with (code or -signal: runs) {ends}")
    return 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())
