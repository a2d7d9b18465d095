"""Bad input, clumsy or hostile: a documented status and message, and the server serves on."""

import json
import os
import pathlib
import signal
import threading
import time
import unittest

from serving import MARKUP, Serving, data, multipart, npy, picture, png, raw_answer, vectors

MAX_MIB = 1
PREDICT = "/predict?model=pictures"
INFER = "/v2/models/pictures/infer"


def tensor(**changes):
    """A request for the model of sets, with changes to its one input."""
    one = {"name": "sets", "datatype": "FP32", "shape": [20, 3], "data": vectors(0, 1)}
    one.update(changes)
    return json.dumps({"inputs": [{k: v for k, v in one.items() if v is not None}]})


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Serving("--max-mib", MAX_MIB, "--max-parts", 4, "--timeout", 2)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server died")
        self.assertEqual(self.server.post(PREDICT, picture()).status, 200)

    def refused(self, answer, status, part):
        self.assertEqual(answer.status, status, answer.body[:300])
        self.assertIn(part, answer.json()["error"])
        return answer

    def test_what_is_not_a_picture(self):
        self.refused(self.server.post(PREDICT, b"no picture"), 422, "not a picture")
        self.refused(self.server.post(PREDICT, b""), 400, "empty")
        self.refused(self.server.post(PREDICT, picture()[:200]), 422, "PNG")
        self.refused(self.server.post(PREDICT, npy(vectors(0, 1))), 422, "item 1")
        self.refused(self.server.post("/predict?model=sets", picture()), 422, "item 1")

    def test_sets_that_cannot_be_used(self):
        good = npy(vectors(0, 1))
        for body in (good[:-1], good + b"x", good[:20], npy([[float("nan"), 0, 0]]), npy([[1, 2]])):
            self.refused(self.server.post("/predict?model=sets", body), 422, "item 1")

    def test_bombs_of_pixels(self):
        before = self.server.peak_memory()
        for body in (png(10000, 10000), png(8000, 7000)):  # a hundred million in some 100 KB
            self.assertLess(len(body), MAX_MIB << 20)
            begun = time.monotonic()
            self.refused(self.server.post(PREDICT, body), 422, "million allowed")
            self.assertLess(time.monotonic() - begun, 10)
            several, headers = multipart(("bomb.png", body), ("good.png", picture()))
            items = self.server.post(PREDICT, several, headers=headers).json()["predictions"]
            self.assertIn("million allowed", items[0]["error"])
            self.assertIn("class", items[1])
        self.assertLess(self.server.peak_memory() - before, 50 << 20)

    def test_bodies_that_are_too_large(self):
        self.refused(self.server.post(PREDICT, bytes((MAX_MIB << 20) + 1)), 413, "1 MiB")
        # Announced only; nothing is sent.
        with self.server.raw() as sock:
            sock.sendall(b"POST " + PREDICT.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n")
            self.assertIn(raw_answer(sock).split(b" ")[1], (b"413", b"400"))

    def test_chunks_without_end(self):
        with self.server.raw() as sock:
            sock.sendall(b"POST " + PREDICT.encode() + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            chunk = b"8000\r\n" + bytes(0x8000) + b"\r\n"
            sent = 0
            try:
                while sent < 1000:
                    sock.sendall(chunk)
                    sent += 1
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertLess(sent, 1000)
            answer = raw_answer(sock)
            self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:100])

    def test_bodies_that_never_end_in_time(self):
        with self.server.raw() as sock:
            sock.sendall(b"POST " + PREDICT.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
            stop = threading.Event()

            def trickle():  # so that the connection is never silent
                while not stop.wait(0.2):
                    try:
                        sock.sendall(b"x")
                    except OSError:
                        return
            thread = threading.Thread(target=trickle)
            thread.start()
            begun = time.monotonic()
            answer = raw_answer(sock)
            stop.set()
            thread.join()
        self.assertTrue(answer.startswith(b"HTTP/1.1 408"), answer[:100])
        self.assertLess(time.monotonic() - begun, 6)

    def test_multipart_that_is_broken(self):
        body, headers = multipart(("a.png", picture()))
        self.refused(self.server.post(PREDICT, body[:-10], headers=headers), 400, "cut short")
        self.refused(self.server.post(PREDICT, b"", headers=headers), 400, "empty")
        self.refused(self.server.post(PREDICT, b"--xYzZY--", headers=headers), 400, "no part")
        self.refused(self.server.post(PREDICT, body, headers={"Content-Type": "multipart/form-data"}), 400, "boundary")
        self.refused(self.server.post(PREDICT, body, headers={"Content-Type": "multipart/mixed; boundary=xYzZY"}), 415, "form-data")
        many, headers = multipart(*[("a.png", b"x")] * 5)
        self.refused(self.server.post(PREDICT, many, headers=headers), 413, "more than 4")

    def test_a_connection_that_breaks_off(self):
        with self.server.raw() as sock:
            sock.sendall(b"POST " + PREDICT.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
        # If the end comes with the last bytes, the library sees it only at the deadline.
        while self.server.wait_for("request")["status"] not in (408, 499):
            pass
        self.assertIn("muster_upload_bytes 0", self.server.get("/metrics").body.decode())

    def test_processes_that_decode_pictures_are_replaced(self):
        process = pathlib.Path(f"/proc/{self.server.process.pid}")

        def decoding():
            return {child for task in process.glob("task/*/children") for child in task.read_text().split()}

        def descriptors():
            return len(list(process.glob("fd/*")))

        self.server.post(PREDICT, picture())
        before, open_before = decoding(), descriptors()
        self.assertNotEqual(before, set())
        for child in before:
            os.kill(int(child), signal.SIGKILL)
            while "State:\tZ" not in pathlib.Path(f"/proc/{child}/status").read_text():
                time.sleep(0.01)
        self.assertEqual(self.server.post(PREDICT, picture()).status, 200)
        self.assertEqual(self.server.post(PREDICT, picture()).status, 200)
        self.assertEqual(len(decoding()), 1)
        self.assertEqual(decoding() & before, set())
        until = time.monotonic() + 10  # the server may still be at closing a connection
        while descriptors() > open_before and time.monotonic() < until:
            time.sleep(0.01)
        self.assertLessEqual(descriptors(), open_before)
        status = pathlib.Path(f"/proc/{decoding().pop()}/status").read_text()
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertIn("Seccomp:\t2", status)  # calls of the system are filtered

    def test_parameters(self):
        for top in ("0", "-1", "x", "", "3.5", "99999999999999999999"):
            self.refused(self.server.post(f"{PREDICT}&top={top}", picture()), 400, "top")
        self.refused(self.server.post(f"{PREDICT}&tip=3", picture()), 400, "tip")
        self.refused(self.server.post(f"{PREDICT}&explain=yes", picture()), 400, "explain")
        self.refused(self.server.post("/predict", picture()), 400, "?model=NAME")
        self.refused(self.server.post("/predict?model=other", picture()), 404, "pictures, sets")
        self.refused(self.server.post(PREDICT, picture(), headers={"Content-Encoding": "gzip"}), 415, "gzip")

    def test_paths_and_methods(self):
        for path in ("/../../etc/passwd", "/./../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/predict/../../x"):  # as they are, past any client
            with self.server.raw() as sock:
                sock.sendall(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                self.assertTrue(raw_answer(sock).startswith(b"HTTP/1.1 404"), path)
        for path in ("/x", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/page.js/../../etc", "/v2/models/..", "/v2/models/x/infer/y",
                     "/%ff%fe", "//"):
            self.assertEqual(self.server.get(path).status, 404, path)
        for method, path, allowed in (("GET", "/predict", "POST"), ("DELETE", "/predict", "POST"), ("POST", "/metrics", "GET"),
                                      ("PUT", INFER, "POST"), ("OPTIONS", "/", "GET")):
            answer = self.refused(self.server.ask(method, path), 405, allowed)
            self.assertEqual(answer.headers["Allow"], allowed)

    def test_tensors(self):
        sets = "/v2/models/sets/infer"
        self.assertEqual(self.server.post(sets, tensor()).status, 200)
        for body, part in ((tensor(shape=[20, 4]), "80 elements"), (tensor(shape=[60]), "[n, d]"), (tensor(shape=[1, 1, 20, 3]), "[n, d]"),
                           (tensor(shape=[-1, 3]), "whole number"), (tensor(shape=None), "no shape"), (tensor(datatype="FP64"), "FP32"),
                           (tensor(datatype="BYTES"), "numbers"), (tensor(name="x"), "'sets'"), (tensor(data=None), "no data"),
                           (tensor(data="x"), "array"), (tensor(shape=[0, 20, 3], data=[]), "no items"), ("{", "malformed"),
                           ("[" * 100000, "object"), ('{"inputs":[]}', "no inputs"), ('{"a":' + "[" * 100000, "deeper"), ("", "malformed"),
                           (json.dumps({"inputs": json.loads(tensor())["inputs"], "outputs": [{"name": "x"}]}), "'x'")):
            self.refused(self.server.post(sets, body), 400, part)
        self.refused(self.server.post(sets, tensor(shape=[5, 4, 3])), 413, "more than the 4")
        self.refused(self.server.post(sets, tensor(shape=[30, 2])), 422, "item 1")
        self.refused(self.server.post(sets, tensor(data=[[1e39] * 3] * 20)), 422, "item 1")
        self.refused(self.server.post(sets, tensor(), headers={"Content-Type": "image/png"}), 415, "application/json")
        self.refused(self.server.post("/v2/models/other/infer", tensor()), 404, "other")
        self.refused(self.server.get("/v2/models/other"), 404, "other")
        self.refused(self.server.get("/v2/models/other/ready"), 404, "other")
        pictures = json.dumps({"inputs": [{"name": "pictures", "datatype": "BYTES", "shape": [1], "data": ["bm90IGE="]}]})
        self.refused(self.server.post(INFER, pictures), 422, "not a picture")
        self.refused(self.server.post(INFER, tensor()), 400, "'pictures'")

    def test_floods_of_headers(self):
        for flood in (b"X: " + b"x" * 100000 + b"\r\n", b"X: y\r\n" * 100000):
            with self.server.raw() as sock:
                try:
                    sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + flood + b"\r\n")
                except (BrokenPipeError, ConnectionResetError):
                    pass
                self.assertIn(raw_answer(sock)[:12], (b"HTTP/1.1 431", b"HTTP/1.1 414", b"HTTP/1.1 413", b""))
        with self.server.raw() as sock:
            sock.sendall(b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n\r\n")
            self.assertIn(raw_answer(sock)[:12], (b"HTTP/1.1 431", b"HTTP/1.1 414", b""))

    def test_what_is_not_http(self):
        for text in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500) + b"\r\n\r\n", b"hello\r\n\r\n",
                     b"GET / HTTP/1.1\r\nContent-Length: x\r\nHost: x\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            with self.server.raw() as sock:
                sock.sendall(text)
                self.assertNotIn(b" 200 ", raw_answer(sock)[:20])

    def test_names_of_files_and_classes_are_text(self):
        body, headers = multipart(("<script>alert(1)</script>", picture()), ("\u00fc.png", b"x"))
        answer = self.server.post(PREDICT, body, headers=headers)
        self.assertEqual(answer.headers.get_content_type(), "application/json")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.json()["predictions"][0]["item"], "<script>alert(1)</script>")
        self.assertIn(MARKUP, [c["class"] for c in self.server.post(PREDICT + "&top=3", picture()).json()["predictions"][0]["top"]])
        body, headers = multipart(("x", b"y"))
        latin = body.replace(b'"x"', b'"\xff\xfe"')
        self.assertIn("not a picture", self.server.post(PREDICT, latin, headers=headers).json()["error"])


if __name__ == "__main__":
    unittest.main()
