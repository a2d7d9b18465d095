"""LocalFeatures and read_dataset: pictures in every form, and data sets on disk."""

import pathlib

import numpy as np
import pytest
from PIL import Image

import muster
from conftest import make_sets
from muster import LocalFeatures, SetClassifier, SetEncoder

RECIPE = "dsift:size=16,24/root"


@pytest.fixture
def paths(pictures):
    return muster.read_dataset(pictures).paths[:3]


def test_every_form_of_a_picture_gives_the_same_features(paths):
    arrays = [np.asarray(Image.open(path).convert("RGB")) for path in paths]
    expected = LocalFeatures(RECIPE).transform(paths)
    assert len(expected) == 3 and expected[0].shape[1] == 128
    framed = np.zeros((arrays[0].shape[0] + 4, arrays[0].shape[1] + 6, 3), np.uint8)
    framed[2:-2, 3:-3] = arrays[0]
    forms = {
        "pathlib": [pathlib.Path(path) for path in paths],
        "bytes": [pathlib.Path(path).read_bytes() for path in paths],
        "Pillow": [Image.open(path) for path in paths],
        "RGBA": [Image.open(path).convert("RGBA") for path in paths],
        "arrays": arrays,
        "one array": np.stack(arrays),
        "Fortran order": [np.asfortranarray(array) for array in arrays],
        "all kinds": [paths[0], arrays[1], pathlib.Path(paths[2]).read_bytes()],
        "part of a larger one": [framed[2:-2, 3:-3]],
    }
    for name, form in forms.items():
        found = LocalFeatures(RECIPE).transform(form)
        for one, wanted in zip(found, expected):
            np.testing.assert_array_equal(one, wanted, err_msg=name)


def test_grey_pictures_in_every_form(paths):
    grey = [np.asarray(Image.open(path).convert("L")) for path in paths]
    expected = LocalFeatures(RECIPE).transform(grey)
    for form in ([g[:, :, None] for g in grey], [Image.fromarray(g) for g in grey], [np.stack([g] * 3, axis=2) for g in grey]):
        for one, wanted in zip(LocalFeatures(RECIPE).transform(form), expected):
            np.testing.assert_array_equal(one, wanted)


def test_places_are_those_of_the_patches():
    picture = np.random.default_rng(0).integers(0, 255, (40, 64), dtype=np.uint8)
    sets = LocalFeatures("dsift:size=16,step=8").transform([picture])
    places = sets.places[0]
    assert places.shape == (4 * 7, 3) and places.dtype == np.float32
    x, y = places[:, 0] * 64, places[:, 1] * 40
    np.testing.assert_allclose(np.unique(np.round(np.diff(np.unique(x)), 3)), [8])
    np.testing.assert_allclose(np.unique(np.round(np.diff(np.unique(y)), 3)), [8])


def test_features_go_on_with_their_places(pictures):
    data = muster.read_dataset(pictures)
    sets = LocalFeatures("dsift:size=16,step=8").fit_transform(data.paths)
    spatial = "bow:words=8,levels=2"
    apart = SetEncoder(spatial).fit(sets).transform(sets[3:6])
    together = SetEncoder("dsift:size=16,step=8/" + spatial).fit(data.paths).transform(data.paths[3:6])
    np.testing.assert_array_equal(apart, together)


def test_features_are_those_of_the_command(pictures, command, tmp_path):
    data = muster.read_dataset(pictures)
    command("extract", pictures, "-o", tmp_path / "features", "--recipe", RECIPE, "--quiet")
    command("train", pictures, "-o", tmp_path / "a.muster", "-r", "dsift:size=16,24/root/bow:words=8/linear-svm:C=1", "--quiet")
    classifier = SetClassifier("dsift:size=16,24/root/bow:words=8/linear-svm:C=1").fit(data.paths, data.labels)
    assert classifier.model_.bytes() == (tmp_path / "a.muster").read_bytes()


def test_a_cache_gives_the_same(pictures, tmp_path):
    data = muster.read_dataset(pictures)
    method = "dsift/bow:words=8/linear-svm:C=1"
    plain = SetClassifier(method).fit(data.paths, data.labels).model_.bytes()
    for _ in range(2):
        assert SetClassifier(method, cache=tmp_path / "cache").fit(data.paths, data.labels).model_.bytes() == plain
    assert any((tmp_path / "cache").rglob("*"))


def test_a_data_set_says_all_it_knows(tmp_path):
    sets = make_sets(6)[0]
    for i, (split, label) in enumerate([("train", "cat"), ("train", "dog"), ("train", "cat"), ("test", "dog"), ("test", "cat"), ("test", "dog")]):
        folder = tmp_path / split / label
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{label}{i % 2}-{i}.npy", sets[i])
    data = muster.read_dataset(tmp_path)
    assert len(data) == 6 and data.class_names == ["cat", "dog"]
    assert not data.multi_label and not data.of_pictures
    assert sorted(set(data.split)) == ["test", "train"]
    paths, labels = data.part("train")
    assert len(paths) == 3 and list(labels) == ["cat", "cat", "dog"]
    assert all(pathlib.Path(path).exists() for path in data.paths)
    assert len(data.groups) == 6 and len(set(data.groups)) < 6


def test_a_list_of_several_labels(tmp_path):
    for name, vectors in zip("ab", make_sets(2)[0]):
        np.save(tmp_path / f"{name}.npy", vectors)
    (tmp_path / "labels.tsv").write_text("a.npy\tred,round\nb.npy\tred\n")
    data = muster.read_dataset(tmp_path)
    assert data.multi_label and data.labels == [["red", "round"], ["red"]]
    assert data.part("")[1] == data.labels


def test_a_class_and_its_test_from_files(pictures):
    data = muster.read_dataset(pictures)
    assert data.of_pictures and set(data.split) == {""}
    classifier = SetClassifier("dsift/bow:words=20/linear-svm:C=10", n_jobs=2).fit(data.paths[::2], data.labels[::2])
    assert classifier.score(data.paths[1::2], data.labels[1::2]) > 0.6
