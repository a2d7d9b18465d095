"""Every endpoint of the server, as its documentation has it."""

import base64
import json
import os
import shutil
import subprocess
import unittest

import inference_client
from serving import MARKUP, MUSTER, Serving, data, kernel_model, multipart, muster, npy, picture, vectors

TOKEN = "a-token-of-some-length"


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Serving()
        cls.client = inference_client.Client(cls.server.connect)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_predict_gives_what_the_command_gives(self):
        file = sorted((data() / "pictures" / MARKUP).glob("*.png"))[3]
        expected = json.loads(muster("predict", data() / "pictures.muster", file, "--top", 3, "--json"))[0]
        answer = self.server.post("/predict?top=3&model=pictures", file.read_bytes())
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        got = answer.json()
        self.assertEqual(got["model"], "pictures")
        self.assertEqual(got["predictions"][0]["top"], expected["top"])
        self.assertEqual(got["predictions"][0]["class"], expected["class"])

    def test_several_at_once_in_their_order(self):
        body, headers = multipart(("a.png", picture(0)), ("b.txt", b"no picture"), ("c.png", picture(1)))
        answer = self.server.post("/predict?model=pictures", body, headers=headers)
        self.assertEqual(answer.status, 200)
        items = answer.json()["predictions"]
        self.assertEqual([item["item"] for item in items], ["a.png", "b.txt", "c.png"])
        self.assertIn("not a picture", items[1]["error"])
        alone = self.server.post("/predict?model=pictures", picture(1)).json()["predictions"][0]
        self.assertEqual(items[2]["probability"], alone["probability"])

    def test_sets_as_npy(self):
        for kind, name in enumerate(("low", "high")):
            answer = self.server.post("/predict?model=sets", npy(vectors(kind, 77)))
            self.assertEqual(answer.json()["predictions"][0]["class"], name)

    def test_explanations_add_up_to_the_score(self):
        answer = self.server.post("/predict?model=pictures&explain=1", picture(2)).json()["predictions"][0]
        evidence = answer["explanation"]
        self.assertEqual(evidence["class"], answer["class"])
        self.assertEqual(len(evidence["map"]["values"]), evidence["map"]["rows"] * evidence["map"]["cols"])
        total = sum(evidence["map"]["values"]) + evidence["rest"]
        self.assertAlmostEqual(total, evidence["score"], delta=1e-4 * (1 + abs(evidence["score"])))
        self.assertGreater(evidence["strongest_for"][0]["value"], 0)
        self.assertNotIn("explanation", self.server.post("/predict?model=pictures", picture(2)).json()["predictions"][0])
        sets = self.server.post("/predict?model=sets&explain=1", npy(vectors(0, 3))).json()["predictions"][0]["explanation"]
        self.assertEqual(len(sets["vectors"]), 20)

    def test_training_pictures_that_decided_are_shown_if_they_are_there(self):
        model = kernel_model()
        shutil.copytree(data() / "pictures", data() / "moved")
        with Serving("--training", data() / "moved", models=[model]) as server:
            def deciding():
                return server.post("/predict?explain=1", picture(2)).json()["predictions"][0]["explanation"]["deciding"]
            self.assertEqual(len(deciding()), 5)
            for one in deciding():
                self.assertTrue(one["thumbnail"].startswith("data:image/jpeg;base64,"))
                self.assertEqual(base64.b64decode(one["thumbnail"].split(",")[1])[:2], b"\xff\xd8")
            (data() / "moved" / deciding()[0]["item"]).unlink()
            self.assertEqual(["thumbnail" in one for one in deciding()], [False, True, True, True, True])
            shutil.rmtree(data() / "moved")
            self.assertEqual([one for one in deciding() if "thumbnail" in one], [])
        with Serving(models=[model]) as server:
            answer = server.post("/predict?explain=1", picture(2)).json()["predictions"][0]
            self.assertNotIn("thumbnail", answer["explanation"]["deciding"][0])
        for options, message in ((["sets.muster", "--training", "pictures"], "for one model"), (["--training", "nowhere"], "does not exist")):
            refused = subprocess.run([MUSTER, "serve", "pictures.muster", *options], cwd=data(), capture_output=True, text=True)
            self.assertIn(refused.returncode, (2, 3))
            self.assertIn(message, refused.stderr)

    def test_a_connection_serves_many_requests(self):
        connection = self.server.connect()
        for _ in range(5):
            self.assertEqual(self.server.post("/predict?model=pictures", picture(), connection=connection).status, 200)
        connection.close()

    def test_models(self):
        models = self.server.get("/models").json()["models"]
        self.assertEqual([m["name"] for m in models], ["pictures", "sets"])
        self.assertIn(MARKUP, models[0]["classes"])
        self.assertEqual([m["kind"] for m in models], ["pictures", "vector sets"])

    def test_open_inference_health_and_metadata(self):
        self.assertTrue(self.client.live())
        self.assertTrue(self.client.ready())
        self.assertEqual(self.client.server()["name"], "muster")
        self.assertTrue(self.client.model_ready("pictures"))
        pictures = self.client.model("pictures")
        self.assertEqual(pictures["inputs"], [{"name": "pictures", "datatype": "BYTES", "shape": [-1]}])
        self.assertEqual(self.client.model("sets")["inputs"][0]["datatype"], "FP32")

    def test_open_inference_of_pictures(self):
        files = [picture(i) for i in range(3)]
        tensor = ("pictures", "BYTES", [3], [base64.b64encode(file).decode() for file in files])
        out = self.client.infer("pictures", [tensor], request_id="an id")
        self.assertEqual(out["labels"][:2], ("BYTES", [3]))
        self.assertEqual(out["probabilities"][:2], ("FP64", [3, 3]))
        classes = out["classes"][2]
        for i, file in enumerate(files):
            alone = self.server.post("/predict?model=pictures", file).json()["predictions"][0]
            self.assertEqual(out["labels"][2][i], alone["class"])
            self.assertEqual(out["probabilities"][2][3 * i + classes.index(alone["class"])], alone["probability"])
        self.assertEqual(set(self.client.infer("pictures", [tensor], outputs=["labels"])), {"labels"})

    def test_open_inference_of_a_picture_that_is_text(self):
        pgm = "P2\n32 32\n255\n" + "\n".join(str(i * 7 % 256) for i in range(1024)) + "\n"
        self.assertEqual(self.client.infer("pictures", [("pictures", "BYTES", [1], [pgm])])["labels"][1], [1])

    def test_open_inference_of_sets(self):
        low, high = vectors(0, 5), vectors(1, 6)
        values = [x for set_ in (low, high) for row in set_ for x in row]
        batch = self.client.infer("sets", [("sets", "FP32", [2, 20, 3], values)])
        self.assertEqual(batch["labels"][2], ["low", "high"])
        nested = self.client.infer("sets", [("sets", "FP32", [2, 20, 3], [low, high])])
        self.assertEqual(nested, batch)
        one = self.client.infer("sets", [("sets", "FP32", [20, 3], high)])
        self.assertEqual(one["probabilities"][2], batch["probabilities"][2][2:])

    def test_metrics(self):
        self.server.post("/predict?model=pictures", picture())
        self.server.post("/predict?model=pictures", b"no picture")
        answer = self.server.get("/metrics")
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        text = answer.body.decode()
        for part in ('muster_requests_total{endpoint="predict",status="200"}', 'muster_request_seconds_bucket{model="pictures",le="0.1"}',
                     'muster_items_total{model="pictures",outcome="failed"}', "muster_queue_length 0", "process_resident_memory_bytes",
                     'muster_requests_total{endpoint="predict",status="422"}', "muster_connections", "muster_upload_bytes 0"):
            self.assertIn(part, text)
        count = [line for line in text.split("\n") if line.startswith('muster_request_seconds_count{model="pictures"}')]
        self.assertGreaterEqual(float(count[0].split()[-1]), 2)

    def test_pages(self):
        for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"), ("/docs", "text/html"),
                           ("/openapi.json", "application/json")):
            answer = self.server.get(path)
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.headers.get_content_type(), kind)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
            self.assertNotIn(b"https://", answer.body)  # nothing from elsewhere
        head = self.server.ask("HEAD", "/docs")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(self.server.get("/openapi.json").json()["openapi"][:2], "3.")

    def test_every_path_of_the_description_is_there(self):
        described = self.server.get("/openapi.json").json()["paths"]
        for path, methods in described.items():
            for method in methods:
                status = self.server.ask(method.upper(), path.replace("{model}", "pictures")).status
                self.assertNotIn(status, (404, 405, 500), path)
        page = self.server.get("/docs").body.decode()
        for path in described:
            self.assertIn(path.replace("{model}", "NAME"), page)

    def test_every_request_is_one_line_of_the_log(self):
        self.server.get("/nowhere?x=1")
        line = self.server.wait_for("request", path="/nowhere")
        self.assertEqual((line["status"], line["method"], line["client"]), (404, "GET", "127.0.0.1"))
        self.assertGreater(line["ms"], 0)


class Starting(unittest.TestCase):
    def test_a_token_is_asked_for(self):
        (data() / "token").write_text(TOKEN + "\n")
        with Serving("--token-file", data() / "token", models=[data() / "pictures.muster"]) as server:
            wrong = (None, "", "Bearer", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x", "Basic " + TOKEN)
            for header in wrong:
                answer = server.post("/predict", picture(), headers={"Authorization": header} if header is not None else {})
                self.assertEqual(answer.status, 401, header)
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
            self.assertEqual(server.post("/predict", picture(), headers={"Authorization": "Bearer " + TOKEN}).status, 200)
            self.assertEqual([server.get(p).status for p in ("/models", "/metrics", "/v2", "/v2/models/pictures")], [401] * 4)
            self.assertEqual([server.get(p).status for p in ("/", "/docs", "/v2/health/ready")], [200] * 3)
            self.assertFalse([line for line in server.log if TOKEN in json.dumps(line)])

    def test_one_model_needs_no_name(self):
        with Serving(models=[data() / "pictures.muster"]) as server:
            self.assertEqual(server.post("/predict", picture()).status, 200)

    def test_an_open_address_without_a_token_is_warned_of(self):
        with Serving("--host", "0.0.0.0", models=[data() / "sets.muster"]) as server:
            server.wait_for("warning")
        with Serving(models=[data() / "sets.muster"]) as server:
            server.wait_for("listening")
            self.assertNotIn("warning", [line["event"] for line in server.log])

    def test_what_cannot_be_started_says_why(self):
        (data() / "short").write_text("abc\n")
        with Serving(models=[data() / "sets.muster"]) as server:
            cases = (
                ([], 2, "MODEL"),
                (["none.muster"], 3, "none.muster"),
                ([data() / "pictures", ], 3, "pictures"),
                ([data() / "sets.muster", "--port", "70000"], 2, "70000"),
                ([data() / "sets.muster", "--port", server.port], 1, "in use"),
                ([data() / "sets.muster", "--host", "no.such.host.invalid"], 2, "--host"),
                ([data() / "sets.muster", "--token-file", data() / "short"], 3, "8"),
                ([data() / "sets.muster", data() / "sets.muster"], 2, "rename"),
            )
            for arguments, code, part in cases:
                done = subprocess.run([MUSTER, "serve", *map(str, arguments)], capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode, code, (arguments, done.stderr))
                self.assertIn(part, done.stderr)
                self.assertTrue(done.stderr.startswith("muster: "), done.stderr)

    def test_without_the_server_the_command_names_its_package(self):
        alone = shutil.copy(MUSTER, data() / "muster-alone")
        done = subprocess.run([alone, "serve", "x"], capture_output=True, text=True, env={**os.environ, "PATH": "/nowhere"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("muster-server", done.stderr)

    def test_help_comes_from_the_server(self):
        self.assertIn("--token-file", muster("serve", "--help"))
        self.assertIn("--token-file", muster("help", "serve"))


if __name__ == "__main__":
    unittest.main()
