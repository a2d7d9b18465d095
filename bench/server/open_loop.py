"""Posts files at set times, whether or not earlier requests are answered, and prints each request's seconds and status as JSON.

    open_loop.py HOST PORT RATE SECONDS even|random FILE...

`even` sends every 1/RATE seconds, `random` as strangers do who know nothing of each other (a Poisson process). Seconds count from the time at which a
request was due, so a generator that falls behind does not flatter the server. Give it a core of its own; between events it sleeps, since a core that spins may
slow its neighbour down (two threads of one core, or a shared budget of power).
"""
import json
import pathlib
import random
import select
import socket
import sys
import time


class Connection:
    """One request at a time, on a connection that is kept open."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def send(self, request, due):
        self.due, self.received = due, b""
        self.socket.setblocking(True)
        self.socket.sendall(request)
        self.socket.setblocking(False)

    def read(self):
        """The status of the answer if it is complete, else None."""
        piece = self.socket.recv(1 << 16)
        if not piece:
            return "closed"
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return None
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        return int(head.split(b" ", 2)[1]) if len(body) >= length else None


def due_times(rate, seconds, kind):
    rng, at = random.Random(1), 0.0
    while at < seconds:
        yield at
        at += 1 / rate if kind == "even" else rng.expovariate(rate)


def run(host, port, rate, seconds, kind, files):
    head = f"POST /predict HTTP/1.1\r\nHost: {host}\r\nContent-Length: "
    requests = [head.encode() + b"%d\r\n\r\n" % len(body) + body for body in (pathlib.Path(f).read_bytes() for f in files)]
    idle, busy, out = [], {}, []
    begun = time.monotonic()

    def collect(until):
        for number in select.select(list(busy), [], [], max(0, until - time.monotonic()))[0]:  # to the microsecond, unlike poll
            connection = busy[number]
            try:
                status = connection.read()
            except OSError as error:
                status = repr(error)
            if status is None:
                continue
            out.append((time.monotonic() - connection.due, status))
            del busy[number]
            if isinstance(status, int):
                idle.append(connection)
            else:
                connection.socket.close()

    for i, at in enumerate(due_times(rate, seconds, kind)):
        due = begun + at
        while time.monotonic() < due:
            collect(due)
        connection = idle.pop() if idle else Connection(host, port)
        connection.send(requests[i % len(requests)], due)
        busy[connection.socket.fileno()] = connection
    end = time.monotonic() + 60
    while busy and time.monotonic() < end:
        collect(end)
    return out + [(60, "no answer")] * len(busy)


if __name__ == "__main__":
    host, port, rate, seconds, kind, *files = sys.argv[1:]
    print(json.dumps(run(host, int(port), float(rate), float(seconds), kind, files)))
