"""Data for all tests: sets that are easy to tell apart, and pictures that the command draws."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = "bow:words=8/linear-svm:C=10"


def make_sets(count, classes=3, dim=4, seed=0, dtype=np.float32):
    """Labels 0, 1, 2, 0, ...; component `label` of the vectors is larger than the others."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % classes
    sets = []
    for label in labels:
        vectors = 0.4 * rng.normal(size=(rng.integers(4, 16), dim))
        vectors[:, label % dim] += 1
        sets.append(vectors.astype(dtype))
    return sets, labels


@pytest.fixture
def data():
    return make_sets(45)


@pytest.fixture
def fresh():
    return make_sets(18, seed=99)


@pytest.fixture(scope="session")
def command():
    path = os.environ.get("MUSTER_COMMAND", "")
    if not os.access(path, os.X_OK):
        pytest.fail("MUSTER_COMMAND does not name the command; run the tests with ctest")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """A folder of three classes of small pictures: stripes across, stripes down, and noise."""
    folder = tmp_path_factory.mktemp("pictures") / "drawn"
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:48, :64]
    for label in ("across", "down", "noise"):
        (folder / label).mkdir(parents=True)
        for i in range(8):
            wave = np.sin((y if label == "across" else x) * rng.uniform(0.6, 0.8) + rng.uniform(0, 6))
            grey = 100 * (rng.normal(size=(48, 64)) if label == "noise" else wave) + 20 * rng.normal(size=(48, 64)) + 128
            colours = np.clip(grey[:, :, None] + [0, 10, 20], 0, 255).astype(np.uint8)
            Image.fromarray(colours).save(folder / label / f"{i}.png")
    return folder
