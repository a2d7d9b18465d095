"""Starts `muster serve` on models made for the purpose, and talks to it."""

import array
import functools
import http.client
import json
import os
import pathlib
import queue
import random
import socket
import struct
import subprocess
import tempfile
import threading
import time
import zlib

MUSTER = os.environ.get("MUSTER", "muster")
MARKUP = "<img src=x onerror=alert(1)>"  # the name of a class


def muster(*arguments):
    return subprocess.run([MUSTER, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def npy(rows):
    """The bytes of a float32 array."""
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]) if rows else 3)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    data = array.array("f", [value for row in rows for value in row])
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data.tobytes()


def png(width, height):
    """A grey picture of one level, as small as zlib makes it."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(width + 1)) for _ in range(height)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) +
            chunk(b"IEND", b""))


def vectors(kind, seed, count=20):
    """Vectors of one of two kinds that are easy to tell apart."""
    rng = random.Random(seed)
    return [[rng.gauss(3 * kind, 1) for _ in range(3)] for _ in range(count)]


@functools.lru_cache
def data():
    """A folder with pictures/, sets/, pictures.muster and sets.muster; made once per process."""
    folder = tempfile.TemporaryDirectory(prefix="muster-serve-")
    root = pathlib.Path(folder.name)
    muster("synth", root / "pictures", "--classes", 3, "--per-class", 12, "--size", "64x48", "--quiet")
    next(p for p in sorted((root / "pictures").iterdir()) if p.is_dir()).rename(root / "pictures" / MARKUP)
    train_pictures(root / "pictures.muster", root, seed=1)
    for kind, name in enumerate(("low", "high")):
        (root / "sets" / name).mkdir(parents=True)
        for i in range(8):
            (root / "sets" / name / f"{i}.npy").write_bytes(npy(vectors(kind, 10 * kind + i)))
    muster("train", root / "sets", "-r", "bow:words=8/linear-svm:C=1", "-o", root / "sets.muster", "--quiet")
    data.keep = folder
    return root


def train_pictures(path, root, seed):
    muster("train", root / "pictures", "-r", "dsift/bow:words=16/linear-svm:C=1", "-o", path, "--seed", seed, "--quiet")


def kernel_model():
    """A model that goes by its training pictures."""
    path = data() / "kernel.muster"
    muster("train", data() / "pictures", "-r", "dsift/pca:dim=8/pmk/kernel-svm:C=10", "-o", path, "--quiet")
    return path


def picture(index=0, name=MARKUP):
    return sorted((data() / "pictures" / name).glob("*.png"))[index].read_bytes()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Serving:
    """A running server: `with Serving("--threads", "1") as server`."""

    def __init__(self, *options, models=None, port=0, command=None):
        models = models or [data() / "pictures.muster", data() / "sets.muster"]
        command = command or ["serve", *models]
        self.process = subprocess.Popen([MUSTER, *map(str, [*command, "--port", port, *options])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log, self.lines = [], queue.Queue()
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://"):
            raise AssertionError(f"no server: {self.log}")
        self.host, self.port = self.url[len("http://"):-1].rsplit(":", 1)
        self.port = int(self.port)

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(json.loads(line))
            self.lines.put(self.log[-1])

    def wait_for(self, event, seconds=20, **fields):
        """The next line of the log with that event and those fields."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no '{event}' within {seconds} s; exit code {self.process.poll()}, log: {self.log[-10:]}") from None
            if line["event"] == event and all(line.get(k) == v for k, v in fields.items()):
                return line

    def peak_memory(self):
        """In bytes, since the server was started."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * next(int(line.split()[1]) for line in status.split("\n") if line.startswith("VmHWM"))

    def connect(self, timeout=30):
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def raw(self, timeout=30):
        return socket.create_connection((self.host, self.port), timeout=timeout)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """One request; an error while sending does not keep the answer from being read."""
        own = connection or self.connect()
        try:
            own.request(method, path, body=body, headers=headers or {})
        except (BrokenPipeError, ConnectionResetError):
            own._HTTPConnection__state = "Request-sent"
        response = own.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        if connection is None:
            own.close()
        return answer

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body, **options):
        return self.ask("POST", path, body=body, **options)

    def stop(self, seconds=30):
        """Asks to end, and gives the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=seconds)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


def raw_answer(sock):
    """Whatever comes until the other side closes; "" if it resets the connection at once."""
    received = b""
    try:
        while piece := sock.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    return received


def multipart(*parts, boundary="xYzZY"):
    """A body of (file name, bytes) and its Content-Type."""
    pieces = []
    for name, content in parts:
        pieces.append((f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                 "Content-Type: application/octet-stream\r\n\r\n").encode() + content + b"\r\n")
    return b"".join(pieces) + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}
