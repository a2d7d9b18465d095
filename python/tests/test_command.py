"""The same bytes and the same predictions as the command, for the same data, recipe and seed."""

import json
import os

import numpy as np
import pytest

import muster
from conftest import make_sets
from muster import SetClassifier, SetEncoder, SetKernel

NAMES = np.array(["ant", "bee", "cow"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sets in class folders, sorted as the command sorts them."""
    root = tmp_path_factory.mktemp("sets") / "data"
    X, y = make_sets(30, seed=5)
    for i, (vectors, label) in enumerate(zip(X, y)):
        (root / NAMES[label]).mkdir(parents=True, exist_ok=True)
        np.save(root / NAMES[label] / f"{i:02}.npy", vectors)
    return root


@pytest.mark.parametrize(
    "method, seed", [("bow:words=8/linear-svm", 1), ("bow:words=8/linear-svm", 2), ("fisher:components=2/linear-svm", 3), ("", 1)]
)
def test_models_are_the_same_bytes(command, folder, tmp_path, method, seed):
    choice = ["-r", method] if method else []
    command("train", folder, "-o", tmp_path / "command.muster", "--seed", seed, "--threads", 2, "--quiet", *choice)
    data = muster.read_dataset(folder)
    by_path = SetClassifier(method or "auto", random_state=seed).fit(data.paths, data.labels)
    arrays = [np.load(path) for path in data.paths]
    by_array = SetClassifier(method or "auto", random_state=seed).fit(arrays, data.labels)
    expected = (tmp_path / "command.muster").read_bytes()
    assert by_path.model_.bytes() == expected
    assert by_array.model_.bytes() == expected


def test_kernel_models_differ_in_the_names_of_their_training_items_only(command, folder, tmp_path, monkeypatch):
    method = "pmk:pyramids=2/kernel-svm"
    command("train", folder, "-o", tmp_path / "command.muster", "--seed", 1, "--quiet", "-r", method)
    expected = muster.load(tmp_path / "command.muster")
    data = muster.read_dataset(folder)
    arrays = [np.load(path) for path in data.paths]
    by_array = SetClassifier(method, random_state=1).fit(arrays, data.labels)
    np.testing.assert_array_equal(by_array.decision_function(arrays), expected.decision_function(arrays))
    # The command names items as they are called within the data set.
    monkeypatch.chdir(folder)
    named_alike = [os.path.relpath(path, folder) for path in data.paths]
    by_path = SetClassifier(method, random_state=1).fit(named_alike, data.labels)
    assert by_path.model_.bytes() == (tmp_path / "command.muster").read_bytes()


def test_predictions_are_the_same_in_both_directions(command, folder, tmp_path):
    data = muster.read_dataset(folder)
    classifier = SetClassifier("bow:words=8/linear-svm").fit(data.paths[::2], data.labels[::2])
    classifier.save(tmp_path / "python.muster")
    said = json.loads(command("predict", tmp_path / "python.muster", *data.paths, "--json"))
    again = muster.load(tmp_path / "python.muster")
    probabilities = again.predict_proba(data.paths)
    labels = again.predict(data.paths)
    assert [row["class"] for row in said] == list(labels)
    assert [row["probability"] for row in said] == [max(own) for own in probabilities]


def test_a_named_method_is_the_command_s(command, folder, tmp_path):
    command("train", folder, "-o", tmp_path / "command.muster", "-m", "bow-linear", "--set", "words=8", "--quiet")
    data = muster.read_dataset(folder)
    with pytest.warns(muster.MusterWarning, match="the feature stage dsift is left out"):
        classifier = SetClassifier("bow-linear", options={"words": 8}).fit(data.paths, data.labels)
    assert classifier.model_.bytes() == (tmp_path / "command.muster").read_bytes()


def test_vectors_and_kernels_are_the_command_s(command, folder, tmp_path):
    sets = folder / "ant"
    arrays = [np.load(path) for path in sorted(sets.iterdir())]
    command("encode", sets, "-o", tmp_path / "v.npy", "-r", "fisher:components=2", "--quiet")
    np.testing.assert_array_equal(SetEncoder("fisher:components=2").fit_transform(arrays), np.load(tmp_path / "v.npy"))
    command("gram", sets, "-o", tmp_path / "k.npy", "-r", "pmk:pyramids=2", "--quiet")
    np.testing.assert_array_equal(SetKernel("pmk:pyramids=2").fit_transform(arrays), np.load(tmp_path / "k.npy"))
