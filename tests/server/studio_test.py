"""`muster studio` over HTTP, as its page and others use it: what it keeps, what it refuses, and that nothing is lost when it is killed."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from serving import MARKUP, MUSTER, Serving, data, multipart, muster, png

OWN = {"X-Muster-Studio": "1"}


class Studio(Serving):
    def __init__(self, folder, *options):
        super().__init__("--quiet", *options, command=["studio", folder])

    def do(self, path, headers=None, body=b"", **query):
        return self.post(f"/studio/{path}?{urllib.parse.urlencode(query)}", body, headers={**OWN, **(headers or {})})

    def add(self, class_name, *files):
        body, kind = multipart(*files)
        return self.do("pictures/add", headers=kind, body=body, **{"class": class_name})

    def state(self):
        return self.get("/studio/state").json()

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state()
            if condition(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"waited in vain: {state['training']}")

    def trained(self):
        return self.wait(lambda state: state["training"]["state"] == "done")

    def events(self):
        """What the stream of events says, one dictionary each."""
        connection = self.connect()
        connection.request("GET", "/studio/events")
        response = connection.getresponse()
        assert response.status == 200 and response.headers["Content-Type"] == "text/event-stream"
        try:
            while line := response.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            response.close()
            connection.close()


def pictures(class_number=0):
    folder = sorted(p for p in (data() / "pictures").iterdir() if p.is_dir())[class_number]
    return [(p.name, p.read_bytes()) for p in sorted(folder.glob("*.png"))]


class StudioTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="muster-studio-")
        self.folder = pathlib.Path(self.temporary.name) / "studio"

    def tearDown(self):
        self.temporary.cleanup()

    def refused(self, answer, status, part):
        self.assertEqual(answer.status, status, answer.body[:300])
        self.assertIn(part, answer.json()["error"])

    def fill(self, studio, per_class=6):
        for number, name in enumerate((MARKUP, "plain")):
            self.assertEqual(studio.do("classes/add", name=name).status, 200)
            self.assertEqual(studio.add(name, *pictures(number)[:per_class]).status, 200)

    def test_from_an_empty_folder_to_a_model_that_commands_read(self):
        with Studio(self.folder) as studio:
            self.fill(studio)
            events = studio.events()
            first = next(events)
            self.assertEqual(first["training"]["state"], "idle")
            self.refused(studio.post("/predict", pictures()[0][1], headers=OWN), 409, "no model has been trained yet")
            self.assertEqual(studio.do("train", effort="quick").status, 200)
            steps = set()
            for event in events:
                steps.add(event["training"]["step"])
                if event["training"]["state"] != "running" and event["training"]["number"] == 1:
                    break
            self.assertEqual(event["training"]["state"], "done", event)
            self.assertGreater(len(steps), 0)
            state = studio.state()
            self.assertEqual(state["model"]["classes"], [MARKUP, "plain"])
            answer = studio.post("/predict?top=2&explain=1", pictures(1)[8][1], headers=OWN).json()["predictions"][0]
            self.assertEqual(answer["class"], "plain")
            self.assertIn("map", answer["explanation"])
            model = studio.get("/studio/model")
            self.assertEqual(model.body, (self.folder / "model.muster").read_bytes())
            self.assertEqual(studio.stop(), 0)  # although a page listens
        muster("train", self.folder, "--effort", "quick", "-o", self.folder.parent / "same.muster", "--quiet")
        self.assertEqual((self.folder.parent / "same.muster").read_bytes(), model.body)
        with Studio(self.folder) as studio:  # all of it is still there
            self.assertEqual(studio.state()["model"], state["model"])

    def test_two_pages_learn_of_each_other(self):
        with Studio(self.folder) as studio:
            events = studio.events()
            before = next(events)["revision"]
            studio.do("classes/add", name="cats")
            self.assertGreater(next(events)["revision"], before)
            self.refused(studio.do("classes/add", name="cats"), 409, "already")
            studio.do("classes/rename", name="cats", to="dogs")
            self.refused(studio.add("cats", pictures()[0]), 409, "renamed or removed")
            shutil.copytree(data() / "pictures" / MARKUP, self.folder / "by hand")
            while not any(one["name"] == "by hand" for one in studio.state()["classes"]):
                next(events)

    def test_what_is_not_a_picture_is_not_kept(self):
        with Studio(self.folder, "--max-mib", "1", "--max-megapixels", "50") as studio:
            studio.do("classes/add", name="cats")
            answer = studio.add("cats", ("a.png", b"no picture"), ("bomb.png", png(8000, 7000)), ("../../x.png", pictures()[0][1])).json()["pictures"]
            self.assertIn("not a picture", answer[0]["error"])
            self.assertIn("million allowed", answer[1]["error"])
            self.assertEqual(answer[2]["file"], "x.png")
            self.assertEqual([p.name for p in (self.folder / "cats").iterdir()], ["x.png"])
            self.refused(studio.add("cats", ("large.png", bytes(2 << 20))), 413, "1 MiB")
            body, kind = multipart(pictures()[1])
            self.refused(studio.do("pictures/add", headers=kind, body=body[:-30], **{"class": "cats"}), 400, "cut short")
            self.assertEqual(len(list((self.folder / "cats").iterdir())), 1)

    def test_names_and_paths_of_strangers(self):
        with Studio(self.folder) as studio:
            for name in ("..", "../up", "a/b", ".hidden", "", "x" * 101, "a\nb", "train"):
                self.refused(studio.do("classes/add", name=name), 400, "name of a class")
            for query in ("class=..&file=x.png&side=9", "class=.studio&file=lock&side=9", "class=%2e%2e%2f&file=etc&side=9"):
                self.assertEqual(studio.get(f"/studio/picture?{query}").status, 409)
            self.assertEqual(studio.get("/../../etc/passwd").status, 404)
            self.assertEqual(studio.get("/studio/train").status, 405)
            self.assertEqual([p.name for p in self.folder.iterdir()], [".studio"])

    def test_other_sites_may_not_use_it(self):
        with Studio(self.folder) as studio:
            ask = "/studio/classes/add?name=evil"
            self.assertEqual(studio.post(ask, b"").status, 403)
            for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}):
                self.assertEqual(studio.post(ask, b"", headers={**OWN, **headers}).status, 403)
            self.assertEqual(studio.get("/studio/state", headers={"Host": "evil.example"}).status, 403)
            self.assertEqual(studio.get("/studio/state", headers={"Sec-Fetch-Site": "cross-site"}).status, 403)
            page = studio.get("/")
            self.assertIn("frame-ancestors 'none'", page.headers["Content-Security-Policy"])
            self.assertEqual(studio.state()["classes"], [])

    def test_a_folder_deleted_while_it_runs(self):
        with Studio(self.folder) as studio:
            self.fill(studio)
            studio.do("train", effort="thorough")
            while os.path.exists(self.folder):  # the studio may be writing into it
                shutil.rmtree(self.folder, ignore_errors=True)
            self.refused(studio.get("/studio/state"), 410, "is gone")
            self.refused(studio.add("plain", pictures()[0]), 410, "is gone")
            for event in studio.events():
                if event["revision"] == 0 and event["training"]["state"] != "running":
                    break
            self.assertEqual(event["training"]["state"], "failed", event)
            self.assertEqual(studio.get("/").status, 200)

    def test_predicting_while_training(self):
        with Studio(self.folder) as studio:
            self.fill(studio)
            studio.do("train", effort="quick")
            studio.trained()
            studio.do("train", effort="normal")
            answered = 0
            while studio.state()["training"]["state"] == "running":
                self.assertEqual(studio.post("/predict", pictures()[9][1], headers=OWN).status, 200)
                answered += 1
            self.assertGreater(answered, 0)
            self.assertEqual(studio.state()["training"]["state"], "done")

    def test_killed_while_uploading_and_training(self):
        with Studio(self.folder) as studio:
            self.fill(studio)
            studio.do("train", effort="quick")
            studio.trained()
            model = (self.folder / "model.muster").read_bytes()
            studio.do("train", effort="thorough")
            uploads = threading.Thread(target=self.upload_until_it_ends, args=(studio,))
            uploads.start()
            while len(list((self.folder / "plain").iterdir())) < 8:
                time.sleep(0.005)
            studio.process.kill()
            uploads.join()
        self.assertEqual((self.folder / "model.muster").read_bytes(), model)
        with Studio(self.folder) as studio:
            state = studio.wait(lambda state: state["unchecked"] == 0)
            self.assertEqual([p for one in state["classes"] for p in one["pictures"] if "problem" in p], [])
            self.assertEqual(list((self.folder / ".studio/incoming").iterdir()), [])
            self.assertEqual(state["model"]["classes"], [MARKUP, "plain"])
            self.assertEqual(studio.do("train", effort="quick").status, 200)
            studio.trained()

    @staticmethod
    def upload_until_it_ends(studio):
        try:
            for i in range(10000):
                name, content = pictures(1)[i % 12]
                studio.add("plain", (name, content + b"%d" % i))  # a tail that readers of PNG ignore
        except OSError:
            pass

    def test_one_studio_per_folder(self):
        with Studio(self.folder):
            second = subprocess.run([MUSTER, "studio", self.folder, "--port", "0"], capture_output=True, text=True, timeout=30)
            self.assertEqual(second.returncode, 1)
            self.assertIn("another studio has it open", second.stderr)
        wrong = subprocess.run([MUSTER, "studio", self.folder, "--colour"], capture_output=True, text=True, timeout=30)
        self.assertEqual(wrong.returncode, 2)


if __name__ == "__main__":
    unittest.main()
