"""Commands that are disturbed: by calls of the system that fail, or by signals.

    disturbed.py faults MUSTER FAULTS_LIBRARY [most runs per command, function and error]
    disturbed.py kills MUSTER COUNT

Every command writes its output beside an older one. However it is disturbed, it must end with a documented exit
code (a signal only if one was sent), leave the old output, none or the whole new one under its name, no temporary
file (unless it was killed by force), and give the undisturbed output when it is run again.
"""
import array
import errno
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


def write_npy(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    header = header.ljust(117) + "\n"
    values = array.array("f", [v for row in rows for v in row])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


class Commands:
    def __init__(self, muster, folder):
        self.muster, self.folder = muster, folder
        rng = random.Random(5)
        for c, name in enumerate(("left", "right", "more/third")):
            for i in range(6):
                rows = [[rng.gauss(c, 0.3), rng.gauss(-c, 0.3)] for _ in range(8)]
                parent = folder / ("sets" if c < 2 else "") / name
                write_npy(parent / f"{i}.npy", rows)
        self.run_ok(["synth", "pictures", "--classes", "2", "--per-class", "3", "--size", "48x48"])
        self.run_ok(["train", "sets", "-o", "model.muster", "--recipe", CLASSIFIER, "--keep-training"])
        sets, pictures = ["--recipe", CLASSIFIER], ["--recipe", "dsift:step=16/" + CLASSIFIER]
        fisher = ["--recipe", "fisher:components=2/linear-svm:C=1"]
        # name: (arguments, outputs)
        self.all = {
            "train": (["train", "sets", "-o", "out", *sets], ["out"]),
            "universal": (["train", "sets", "-o", "out", "--save-universal", "out2", *fisher], ["out", "out2"]),
            "cached": (["train", "pictures", "-o", "out", "--cache", "cache", *pictures], ["out"]),
            "add-class": (["add-class", "model.muster", "more", "-o", "out"], ["out"]),
            "fuse": (["fuse", "model.muster", "model.muster", "-o", "out"], ["out"]),
            "encode": (["encode", "sets/left", "-o", "out.npy", "--recipe", "bow:words=4"], ["out.npy"]),
            "gram": (["gram", "sets/left", "-o", "out.npy", "--recipe", "bow:words=4/rbf"], ["out.npy"]),
            "explain": (["explain", "model.muster", "sets/left/0.npy", "-o", "out.npy"], ["out.npy"]),
            "extract": (["extract", "pictures", "-o", "folder", "--recipe", "dsift:step=16"], ["folder"]),
            "synth": (["synth", "folder", "--classes", "2", "--per-class", "4", "--size", "32x32"], ["folder"]),
            "bench": (["bench", "sets", "-o", "folder", "--splits", "2", "--train", "3", *sets], ["folder"]),
        }

    def run(self, arguments, environment=None, meanwhile=None):
        process = subprocess.Popen([self.muster, *arguments, "--threads", "2"], cwd=self.folder,
                                   env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        if meanwhile:
            meanwhile(process)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            return None, "it hangs"
        return process.returncode, err.decode(errors="replace")

    def run_ok(self, arguments):
        code, err = self.run(arguments)
        assert code == 0, (arguments, code, err)

    def clean(self, with_old):
        for name in ("out", "out2", "out.npy"):
            (self.folder / name).unlink(missing_ok=True)
            if with_old:
                (self.folder / name).write_bytes(b"old")
        for name in ("folder", "cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for path in self.leftovers():  # of a run that was killed by force
            Path(path).unlink()

    def leftovers(self):
        return [str(path) for path in self.folder.rglob(".muster-*.tmp")]

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


def stable(file):
    data = file.read_bytes()
    if file.suffix == ".json" and data != b"old":
        record = json.loads(data)

        def without_times(value):
            if isinstance(value, dict):
                return {k: without_times(v) for k, v in value.items() if k not in DIFFERING}
            return [without_times(v) for v in value] if isinstance(value, list) else value

        return json.dumps(without_times(record)).encode()
    if file.suffix in (".html", ".csv"):
        return b"" if data else b"empty"  # they show times
    return data


class Judge:
    """Counts runs, and what went wrong."""

    def __init__(self, commands):
        self.commands, self.runs, self.failures = commands, 0, []

    def expected(self, name):
        arguments, outputs = self.commands.all[name]
        self.commands.clean(with_old=False)
        self.commands.run_ok(arguments)
        return self.commands.content(outputs)

    def judge(self, name, what, code, err, expected, by_force=False, allowed=()):
        arguments, outputs = self.commands.all[name]
        self.runs += 1
        wrong = []
        # An item that cannot be read is left out of a batch, and named: that is what it must do.
        left_out = code == 0 and ("left out: cannot read" in err or "cannot be read and are left out" in err)
        if code is None or (code not in DOCUMENTED and code not in allowed):
            wrong.append(f"exit {code}")
        found = self.commands.content(outputs)
        for file, data in found.items() if not left_out else ():
            if data != b"old" and file in expected and data != expected[file] and not file.startswith("folder/results"):
                wrong.append(f"{file} is neither old nor new")
        if code == 0 and found != expected and not left_out:
            wrong.append("success, but the output is not there or another")
        if self.commands.leftovers() and not by_force:
            wrong.append(f"left over: {self.commands.leftovers()}")
        again, message = self.commands.run(arguments)
        if again != 0:
            wrong.append(f"run again: exit {again}: {message}")
        elif self.commands.content(outputs) != expected and not (left_out and outputs == ["folder"]):
            wrong.append("run again, the output is another")
        if wrong:
            self.failures.append(f"{name}, {what}: {'; '.join(wrong)}\n    {err.strip()[-300:]}")


def faults(commands, library, most):
    judge = Judge(commands)
    for name, (arguments, outputs) in commands.all.items():
        expected = judge.expected(name)
        counts_file = commands.folder / "counts"
        base = {"LD_PRELOAD": library, "MUSTER_FAULT_COUNTS": str(counts_file)}
        commands.clean(with_old=True)
        code, err = commands.run(arguments, {**base, "MUSTER_FAULT": "count"})
        assert code == 0, (name, code, err)
        counts = {key: int(value) for key, value in (line.split() for line in counts_file.read_text().splitlines())}
        for function, errors in ERRORS.items():
            count = counts[function]
            for error in errors:
                places = range(1, count + 1)
                if count > most:
                    places = sorted({1 + i * (count - 1) // (most - 1) for i in range(most)}) if most > 1 else [count]
                for n in places:
                    commands.clean(with_old=True)
                    code, err = commands.run(arguments, {**base, "MUSTER_FAULT": f"{function}:{n}:{error}"})
                    judge.judge(name, f"{function} {n} of {count}, error {error}", code, err, expected)
    return judge


def kills(commands, count):
    judge, rng = Judge(commands), random.Random(7)
    names = [name for name in commands.all if name not in ("fuse", "explain")]
    expected, seconds = {}, {}
    for name in names:
        expected[name] = judge.expected(name)
        commands.clean(with_old=True)
        start = time.monotonic()
        commands.run_ok(commands.all[name][0])
        seconds[name] = time.monotonic() - start
    for i in range(count):
        name = names[i % len(names)]
        number = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        commands.clean(with_old=True)

        def meanwhile(process):
            time.sleep(rng.uniform(0, 1.1 * seconds[name]))
            process.send_signal(number)

        code, err = commands.run(commands.all[name][0], meanwhile=meanwhile)
        # Before it watches for them, any signal ends it at once.
        judge.judge(name, f"signal {number}", code, err, expected[name], by_force=number == signal.SIGKILL,
                    allowed={-number})
    return judge


def main():
    mode, muster = sys.argv[1], os.path.abspath(sys.argv[2])
    folder = Path(tempfile.mkdtemp(prefix="muster-disturbed-"))
    try:
        commands = Commands(muster, folder)
        if mode == "faults":
            judge = faults(commands, os.path.abspath(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 10**9)
        else:
            judge = kills(commands, int(sys.argv[3]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for failure in judge.failures:
        print(failure)
    print(f"{mode}: {judge.runs} disturbed runs of {len(commands.all)} commands, {len(judge.failures)} failed")
    return 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())
