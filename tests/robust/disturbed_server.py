"""The server and the studio while calls of the system fail.

    disturbed_server.py MUSTER FAULTS_LIBRARY [--most N] [--most-malloc N]

Each call of a function fails once, N of them evenly spread; the server is asked for several things meanwhile and is told to end. It must
either not begin, with a message and a documented exit code, or answer all but one request, serve on, end when it is told to, and leave no
temporary file. Pipes and events between threads do not fail (faults.cc). Memory fails only if --most-malloc says so: the JSON library
allocates in its destructors, which ends the process.
"""
import argparse
import collections
import http.client
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from disturbed import Commands, ERRORS, places, read_counts

FUNCTIONS = ("open", "read", "write", "fsync", "rename", "mmap")
STATUSES = {200, 400, 404, 409, 413, 422, 429, 500, 503}
PATIENCE_S = 60


class Kind:
    """A way to start muster-serve, and what is asked of it."""

    def __init__(self, arguments, requests, prepare):
        self.arguments, self.requests, self.prepare = arguments, requests, prepare


def kinds(folder):
    picture = next((folder / "pictures").rglob("*.png")).read_bytes()
    own = {"X-Muster-Studio": "1"}
    boundary = "b0undary"
    form = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="new.png"\r\n\r\n').encode() + picture + f"\r\n--{boundary}--\r\n".encode()
    form_type = {**own, "Content-Type": f"multipart/form-data; boundary={boundary}"}
    first = sorted(p for p in (folder / "pictures").iterdir() if p.is_dir())[0].name
    file = sorted((folder / "pictures" / first).iterdir())[0].name

    def fresh_studio():
        shutil.rmtree(folder / "studio", ignore_errors=True)
        shutil.copytree(folder / "pictures", folder / "studio")
        shutil.copy(folder / "seen.muster", folder / "studio/model.muster")

    predict, big = ("POST", "/predict", picture, {}), ("POST", "/predict", bytes(600_000), {})  # the latter waits in a temporary file
    return {
        "serve": Kind(["seen.muster"], [("GET", "/models", None, {}), predict, big, predict, ("GET", "/metrics", None, {}), predict], lambda: None),
        "studio": Kind(["--studio", "studio"],
                       [("GET", "/studio/state", None, own), ("POST", f"/studio/pictures/add?class={first}", form, form_type),
                        ("GET", f"/studio/picture?class={first}&file={file}&side=64", None, own), ("POST", "/predict", picture, own),
                        ("POST", f"/studio/pictures/remove?class={first}&file={file}", b"", own), ("GET", "/studio/state", None, own)], fresh_studio),
    }


def ask(address, method, path, body, headers):
    """The status, or None if the connection was dropped."""
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        return "too late" if isinstance(error, TimeoutError) else None
    finally:
        connection.close()


class Judge:
    def __init__(self, muster, folder, environment):
        self.program = Path(muster).resolve().parent / "muster-serve"
        self.folder, self.environment = folder, environment
        self.runs, self.failures, self.ends = 0, [], collections.Counter()

    def run(self, kind, fault, healthy):
        """Starts it, asks, ends it; returns what was wrong."""
        kind.prepare()
        environment = {**os.environ, **self.environment, "TMPDIR": str(self.folder / "tmp"), "MUSTER_FAULT": fault}
        with open(self.folder / "log", "wb") as log:
            process = subprocess.Popen([self.program, *kind.arguments, "--port", "0"], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=log)
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
        url = process.stdout.readline().decode().strip() if ready else "silent"
        statuses, wrong = [], []
        if url.startswith("http://"):
            statuses = [ask(url[len("http://"):-1], *request) for request in kind.requests]
            process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = "it hangs"
        process.stdout.close()
        self.runs += 1
        self.ends[f"exit {code}" + ("" if statuses else " before it began")] += 1
        if code not in ((0, 1) if statuses else (1, 2, 3)):
            wrong.append(f"exit code {code}")
        if any(status is not None and status not in STATUSES for status in statuses):
            wrong.append(f"statuses {statuses}")
        if healthy and sum(a != b for a, b in zip(statuses, healthy)) > 1:
            wrong.append(f"more than one request failed: {statuses} instead of {healthy}")
        left = [str(path) for path in [*self.folder.rglob(".muster-*.tmp"), *(self.folder / "tmp").iterdir()]]
        if left:
            wrong.append(f"left over: {left}")
            for path in left:
                Path(path).unlink()
        return statuses, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("library")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--most-malloc", type=int, default=0)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="muster-disturbed-"))
    functions = FUNCTIONS + (("malloc",) if args.most_malloc else ())
    tried = collections.Counter()
    try:
        Commands(os.path.abspath(args.muster), folder)  # makes pictures and a model
        environment = {"LD_PRELOAD": os.path.abspath(args.library), "MUSTER_FAULT_COUNTS": str(folder / "counts")}
        judge = Judge(args.muster, folder, environment)
        for name, kind in kinds(folder).items():
            healthy, wrong = judge.run(kind, "count", None)
            assert not wrong and set(healthy) <= {200, 422}, (name, healthy, wrong)
            counts = read_counts(environment)
            for function in functions:
                for error in ERRORS[function]:
                    for n in places(counts[function], args.most_malloc if function == "malloc" else args.most):
                        fault = f"{function}:{n}:{error}"
                        _, wrong = judge.run(kind, fault, healthy)
                        tried[function] += 1
                        if wrong:
                            judge.failures.append(f"{name}, {fault} of {counts[function]}: {'; '.join(wrong)}")
                            print(judge.failures[-1], (folder / "log").read_text(errors="replace")[-500:], flush=True)
            print(f"{name}: calls " + ", ".join(f"{function} {counts[function]}" for function in functions), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("in all: " + ", ".join(f"{function} {count}" for function, count in tried.items()))
    print(f"{judge.runs} runs, {len(judge.failures)} failed; " + ", ".join(f"{end}: {count}" for end, count in sorted(judge.ends.items())))
    return 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())
