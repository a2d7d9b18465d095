"""SetClassifier: labels of all sorts, what it predicts, and what saving, pickling and copying keep."""

import copy
import pickle
import re

import joblib
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import muster
from conftest import QUICK, make_sets
from muster import SetClassifier

METHODS = [QUICK, "bow:words=6/rbf/kernel-svm:C=10", "fisher:components=2/logistic:C=1", "sum-match/klr:C=1"]


@pytest.mark.parametrize("method", METHODS)
def test_it_learns(data, fresh, method):
    classifier = SetClassifier(method)
    assert classifier.fit(*data) is classifier
    assert classifier.score(*fresh) == 1
    probabilities = classifier.predict_proba(fresh[0])
    assert probabilities.shape == classifier.decision_function(fresh[0]).shape == (18, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(axis=1)], classifier.predict(fresh[0]))
    assert classifier.n_features_in_ == 4
    assert re.split("[:/]", method)[0] in classifier.recipe_


def test_the_default_method_needs_no_choice(data, fresh):
    assert SetClassifier().fit(*data).score(*fresh) == 1


def test_options_reach_the_recipe(data):
    for options in ({"words": 5, "linear-svm.C": 3}, ["words=5", "linear-svm.C=3"]):
        recipe = SetClassifier(QUICK, options=options).fit(*data).recipe_
        assert "words=5" in recipe and "C=3" in recipe
    assert "root=true" not in SetClassifier(QUICK).fit(*data).recipe_
    with pytest.raises(muster.UsageError, match="dictionary"):
        SetClassifier(QUICK, options="words=5").fit(*data)


@pytest.mark.parametrize(
    "names", [np.array(["c", "a", "b"]), np.array([3, 20, 100]), np.array([-1, 0, 1]), np.array(["é", "z", "ß"], dtype=object), [7, 8, 9]]
)
def test_labels_come_back_as_they_were(data, fresh, names):
    classifier = SetClassifier(QUICK).fit(data[0], np.asarray(names)[data[1]])
    np.testing.assert_array_equal(classifier.classes_, np.unique(names))
    expected = np.asarray([names[label] for label in fresh[1]])
    predicted = classifier.predict(fresh[0])
    np.testing.assert_array_equal(predicted, expected)
    assert predicted.dtype.kind == np.asarray(names).dtype.kind
    probabilities = classifier.predict_proba(fresh[0])
    np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(axis=1)], expected)


def test_two_classes_have_one_score():
    X, y = make_sets(30, classes=2)
    classifier = SetClassifier(QUICK).fit(X, y)
    scores = classifier.decision_function(X)
    assert scores.shape == (30,)
    np.testing.assert_array_equal(classifier.classes_[(scores > 0).astype(int)], classifier.predict(X))


def test_several_labels_in_every_form(data, fresh):
    matrix = np.eye(3, dtype=int)[data[1]]
    matrix[data[1] == 0, 1] = 1  # label 0 comes with label 1
    lists = [list(np.array(["x", "y", "z"])[row.astype(bool)]) for row in matrix]
    by_matrix = SetClassifier(QUICK).fit(data[0], matrix)
    by_sparse = SetClassifier(QUICK).fit(data[0], csr_matrix(matrix))
    by_lists = SetClassifier(QUICK).fit(data[0], lists)
    predicted = by_matrix.predict(fresh[0])
    assert predicted.shape == (18, 3) and by_matrix.predict_proba(fresh[0]).shape == (18, 3)
    assert by_matrix.decision_function(fresh[0]).shape == (18, 3)
    np.testing.assert_array_equal(by_sparse.predict(fresh[0]), predicted)
    np.testing.assert_array_equal(by_matrix.predict_proba(fresh[0]), by_lists.predict_proba(fresh[0]))
    assert by_lists.predict(fresh[0]) == [list(np.array(["x", "y", "z"])[row.astype(bool)]) for row in predicted]
    assert by_matrix.score(data[0], matrix) > 0.9
    assert by_lists.score(data[0], lists) == by_matrix.score(data[0], matrix)
    assert list(by_lists.classes_) == ["x", "y", "z"]


def test_a_seed_is_a_result(data):
    def of(state):
        return SetClassifier(QUICK, random_state=state).fit(*data).model_.bytes()

    assert of(1) == of(1) != of(2)
    assert of(np.int64(2)) == of(2)
    assert of(np.random.RandomState(0)) == of(np.random.RandomState(0)) != of(np.random.RandomState(1))
    np.random.seed(5)
    first = of(None)
    np.random.seed(5)
    assert of(None) == first
    with pytest.raises(muster.UsageError, match="random_state=-1"):
        of(-1)


def test_the_report(data):
    classifier = SetClassifier("bow:words=8/linear-svm").fit(*data)
    report = classifier.report_
    assert report["items"] == 45 and report["left_out"] == []
    assert set(report["seconds"]) >= {"fit", "encode", "classifier"}
    assert report["fit"]["cross_validated"] > 0.9
    assert report["fit"]["C"] in [C for C, _ in report["fit"]["tried"]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("names", [None, ["x", "y", "z"]])
def test_pickle_joblib_and_copy_keep_everything(data, fresh, tmp_path, method, names):
    y = data[1] if names is None else [names[label] for label in data[1]]
    classifier = SetClassifier(method, keep_training=True).fit(data[0], y)
    joblib.dump(classifier, tmp_path / "dumped")
    for again in (
        pickle.loads(pickle.dumps(classifier)),
        joblib.load(tmp_path / "dumped"),
        copy.copy(classifier),
        copy.deepcopy(classifier),
    ):
        assert again.model_.bytes() == classifier.model_.bytes()
        assert again.get_params() == classifier.get_params()
        assert again.report_ == classifier.report_
        np.testing.assert_array_equal(again.predict(fresh[0]), classifier.predict(fresh[0]))
        np.testing.assert_array_equal(again.predict_proba(fresh[0]), classifier.predict_proba(fresh[0]))
        np.testing.assert_array_equal(again.decision_function(fresh[0]), classifier.decision_function(fresh[0]))
    with pytest.raises(NotFittedError):
        clone(classifier).predict(fresh[0])


def test_a_saved_model_is_the_same_bytes(data, fresh, tmp_path):
    names = np.array(["p", "q", "r"])
    classifier = SetClassifier(QUICK, random_state=7).fit(data[0], names[data[1]])
    classifier.save(tmp_path / "a.muster")
    assert (tmp_path / "a.muster").read_bytes() == classifier.model_.bytes()
    again = muster.load(tmp_path / "a.muster")
    np.testing.assert_array_equal(again.predict_proba(fresh[0]), classifier.predict_proba(fresh[0]))
    np.testing.assert_array_equal(again.predict(fresh[0]), classifier.predict(fresh[0]))
    assert again.random_state == 7 and again.recipe_ == classifier.recipe_
    assert clone(again).fit(data[0], names[data[1]]).model_.bytes() == classifier.model_.bytes()


def test_a_saved_model_of_several_labels(data, fresh, tmp_path):
    lists = [["a"] if label else ["a", "b"] for label in data[1]]
    classifier = SetClassifier(QUICK).fit(data[0], lists)
    classifier.save(tmp_path / "m.muster")
    assert muster.load(str(tmp_path / "m.muster")).predict(fresh[0]) == classifier.predict(fresh[0])


def test_places_reach_methods_that_use_them():
    rng = np.random.default_rng(3)
    # The same vectors in all pictures: only their places tell the classes apart.
    vectors = rng.normal(size=(20, 3)).astype(np.float32)
    order = np.argsort(vectors[:, 0])
    X = []
    for label in [0, 1] * 15:
        x = np.empty(20)
        x[order] = np.linspace(0, 1, 20) if label else np.linspace(1, 0, 20)
        X.append((vectors, np.stack([x, rng.random(20)], axis=1)))
    y = [0, 1] * 15
    classifier = SetClassifier("bow:words=4,levels=2/linear-svm:C=10").fit(X[:20], y[:20])
    assert classifier.score(X[20:], y[20:]) == 1
    sets = muster.Sets(np.tile(vectors, (30, 1)), np.arange(0, 601, 20), np.concatenate([places for _, places in X]))
    flat = clone(classifier).fit(sets[:20], y[:20])
    assert flat.model_.bytes() == classifier.model_.bytes()
    with pytest.raises(muster.Error, match="places"):
        clone(classifier).fit([x for x, _ in X], y)


def test_refitting_forgets_what_was(data, fresh, pictures):
    paths = muster.read_dataset(pictures)
    classifier = SetClassifier(QUICK).fit(*data)
    classifier.set_params(method="dsift/bow:words=8/linear-svm:C=10").fit(paths.paths, paths.labels)
    assert not hasattr(classifier, "n_features_in_")
    assert list(classifier.classes_) == paths.class_names


def test_it_shows_itself(data):
    classifier = SetClassifier(QUICK, n_jobs=2)
    assert repr(classifier) == f"SetClassifier(method='{QUICK}', n_jobs=2)"
    assert "SetClassifier" in classifier._repr_html_()
