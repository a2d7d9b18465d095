"""The server under load: slow clients, a full queue, models that change, an end in the middle of work."""

import ctypes
import http.client
import os
import resource
import shutil
import signal
import socket
import threading
import time
import unittest

from serving import Serving, data, multipart, picture, png, raw_answer, train_pictures

PREDICT = "/predict?model=pictures"
LIBC = ctypes.CDLL(None)


class Clients:
    """Threads that ask again and again until they are told to stop; `answers` are (status, seconds), errors are kept."""

    def __init__(self, server, count, body, path=PREDICT, headers=None):
        self.server, self.body, self.path, self.headers = server, body, path, headers or {}
        self.answers, self.errors, self.stop = [], [], threading.Event()
        self.threads = [threading.Thread(target=self.run) for _ in range(count)]

    def run(self):
        connection = self.server.connect()
        while not self.stop.is_set():
            begun = time.monotonic()
            try:
                answer = self.server.post(self.path, self.body, headers=self.headers, connection=connection)
                self.answers.append((answer.status, time.monotonic() - begun, answer.body))
                if answer.headers["Connection"] == "close":
                    connection.close()
            except (OSError, http.client.HTTPException) as error:
                if not self.stop.is_set():
                    self.errors.append(error)
                connection.close()
        connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self.threads:
            thread.join()


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096 if hard == resource.RLIM_INFINITY else min(hard, 4096), hard))

    def test_a_thousand_slow_clients_do_not_keep_others_waiting(self):
        with Serving("--quiet", "--timeout", 2) as server:
            beginnings = (b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-", b"POST /predict?model=pictures HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx")
            slow = []
            for i in range(1000):
                slow.append(server.raw())
                slow[-1].sendall(beginnings[i % 3])
            times = []
            end = time.monotonic() + 4
            while time.monotonic() < end:
                for sock in slow[1::3]:  # a byte of a header that never ends
                    try:
                        sock.sendall(b"x")
                    except OSError:
                        pass
                begun = time.monotonic()
                self.assertEqual(server.post(PREDICT, picture()).status, 200)
                times.append(time.monotonic() - begun)
            times.sort()
            self.assertLess(times[int(len(times) * 0.99)], 1)
            # Bodies are ended by now, headers are after 17 s at the latest.
            end = time.monotonic() + 25
            while time.monotonic() < end:
                open_now = [line for line in server.get("/metrics").body.decode().split("\n") if line.startswith("muster_connections ")]
                if float(open_now[0].split()[1]) <= 2:
                    break
                time.sleep(0.5)
            else:
                self.fail(open_now)
            for sock in slow:
                sock.close()

    def test_a_full_queue_says_come_again(self):
        body, headers = multipart(*[(f"{i}.png", picture(i % 12)) for i in range(60)])
        with Serving("--threads", 1, "--queue", 1, "--quiet") as server:
            with Clients(server, 6, body, headers=headers) as clients:
                end = time.monotonic() + 20
                while time.monotonic() < end and {429, 200} - {status for status, *_ in clients.answers}:
                    time.sleep(0.05)
            statuses = {status for status, *_ in clients.answers}
            self.assertEqual(statuses, {200, 429})
            self.assertFalse(clients.errors)
            with Clients(server, 6, body, headers=headers) as clients:
                while not any(status == 429 for status, *_ in clients.answers):
                    time.sleep(0.01)
                # Whoever only asks how it is gets an answer in the meantime.
                self.assertEqual(server.get("/v2/health/live").status, 200)
            self.assertIn(b"too much to do", next(body for status, _, body in clients.answers if status == 429))

    def test_models_change_under_load(self):
        root = data()
        train_pictures(root / "other.muster", root, seed=2)
        served = root / "pictures-served.muster"
        shutil.copy(root / "pictures.muster", served)
        with Serving("--quiet", models=[served]) as server:
            with Clients(server, 3, picture(5), path="/predict?top=3") as clients:
                for i in range(4):
                    source = root / ("other.muster" if i % 2 == 0 else "pictures.muster")
                    shutil.copy(source, root / "new.muster")
                    os.replace(root / "new.muster", served)
                    server.wait_for("model loaded", model="pictures-served")
                shutil.copy(root / "other.muster", served)  # in its place
                server.wait_for("model loaded", model="pictures-served")
                served.write_bytes(b"broken")
                self.assertIn("pictures-served", server.wait_for("model kept")["error"])
                os.replace(root / "other.muster", served)
                server.wait_for("model loaded")
                os.kill(server.process.pid, signal.SIGHUP)
                server.wait_for("model loaded")
            self.assertFalse(clients.errors)
            self.assertEqual({status for status, *_ in clients.answers}, {200})
            self.assertEqual(len({body for _, _, body in clients.answers}), 2)  # of the one model and of the other
            kept = sum(line["event"] == "model kept" for line in server.log)  # also of a file that was looked at while it was copied
            text = server.get("/metrics").body.decode()
            self.assertIn(f'muster_model_reloads_total{{model="pictures-served",outcome="failed"}} {kept}\n', text)

    def test_any_thread_may_take_a_signal(self):
        with Serving("--quiet") as server:
            self.assertEqual(server.post(PREDICT, picture()).status, 200)
            for thread in os.listdir(f"/proc/{server.process.pid}/task"):
                self.assertEqual(LIBC.tgkill(server.process.pid, int(thread), signal.SIGHUP), 0)
                server.wait_for("model loaded", model="pictures")
            self.assertEqual(server.post(PREDICT, picture()).status, 200)

    def test_the_end_waits_for_what_has_begun(self):
        body, headers = multipart(*[(f"{i}.png", picture(i % 12)) for i in range(60)])
        with Serving("--threads", 1, "--quiet") as server:
            results = []

            def ask():
                results.append(server.post(PREDICT, body, headers=headers).status)
            threads = [threading.Thread(target=ask) for _ in range(3)]
            for thread in threads:
                thread.start()
            while b"muster_requests_in_flight 4" not in server.get("/metrics").body:  # this one is the fourth
                self.assertFalse(results, "the work was done before it could be waited for")
            code = server.stop()
            for thread in threads:
                thread.join()
            self.assertEqual((code, results), (0, [200, 200, 200]))
            with self.assertRaises(OSError):
                socket.create_connection((server.host, server.port), timeout=2)

    def test_who_asks_twice_does_not_wait(self):
        body, headers = multipart(*[("large.png", png(4000, 3900))] * 60)
        with Serving("--threads", 1, "--quiet") as server:
            connection = server.connect()
            connection.request("POST", PREDICT, body, headers)
            while b"muster_requests_in_flight 2" not in server.get("/metrics").body:
                time.sleep(0.05)
            server.process.send_signal(signal.SIGINT)
            server.wait_for("stopping")
            time.sleep(0.3)
            self.assertIsNone(server.process.poll())
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(timeout=5), -signal.SIGINT)

    def test_large_uploads_leave_no_memory_behind(self):
        def endless(server):
            with server.raw() as sock:
                try:
                    sock.sendall(b"POST /predict?model=pictures HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                    sock.sendall((b"8000\r\n" + bytes(0x8000) + b"\r\n") * 1100)
                except OSError:
                    pass
                return raw_answer(sock)[:12]

        def resident(server):
            self.assertEqual(server.post(PREDICT, picture()).status, 200)
            lines = server.get("/metrics").body.decode().split("\n")
            return next(float(line.split()[1]) for line in lines if line.startswith("process_resident_memory_bytes "))
        with Serving("--threads", 1, "--quiet") as server:
            before = resident(server)
            for _ in range(4):
                self.assertIn(endless(server), (b"HTTP/1.1 413", b""))
            self.assertLess(resident(server) - before, 16 << 20)

    def test_work_that_takes_too_long_is_ended(self):
        body, headers = multipart(*[("large.png", png(4000, 3900))] * 200)  # small to send, long to decode
        with Serving("--threads", 1, "--timeout", 2, "--max-parts", 200, "--quiet") as server:
            begun = time.monotonic()
            answer = server.post(PREDICT, body, headers=headers)
            self.assertEqual(answer.status, 503, answer.body[:300])
            self.assertLess(time.monotonic() - begun, 20)
            self.assertIn("Retry-After", answer.headers)


if __name__ == "__main__":
    unittest.main()
