"""Whatever is wrong with the input is an exception of the right type, with the library's message."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import muster
from conftest import QUICK, make_sets
from muster import LocalFeatures, SetClassifier, SetEncoder, SetKernel

VIEWS = "item 3: "


def classifier():
    return SetClassifier(QUICK)


def spoilt(value):
    """Items of which the third is not as it should be."""
    sets, labels = make_sets(9)
    sets[2] = value(sets[2])
    return sets, labels


def with_value(number):
    def change(array):
        array[1, 1] = number
        return array

    return change


ITEMS = {
    "one dimension": (lambda a: a[0], "shape \\(4,\\)"),
    "three dimensions": (lambda a: a[None], "two dimensions"),
    "no dimension": (lambda a: np.float32(3).reshape(()), "shape \\(\\)"),
    "object array": (lambda a: a.astype(object), "dtype object"),
    "ragged": (lambda a: np.array([[1.0], [1.0, 2.0]], dtype=object), "dtype object"),
    "integers": (lambda a: a.astype(int), "dtype int64"),
    "half": (lambda a: a.astype(np.float16), "dtype float16"),
    "complex": (lambda a: a.astype(complex), "dtype complex128"),
    "texts": (lambda a: a.astype(str), "dtype <U"),
    "dates": (lambda a: np.zeros((2, 4), "M8[s]"), "dtype datetime64"),
    "booleans": (lambda a: a > 0, "dtype bool"),
    "lists": (lambda a: a.tolist(), "of type list"),
    "nothing": (lambda a: None, "of type NoneType"),
    "a number": (lambda a: 3.5, "of type float"),
    "no components": (lambda a: np.zeros((3, 0), np.float32), "no components"),
    "unequal dimensions": (lambda a: np.zeros((3, 5), np.float32), "its vectors have 5"),
    "NaN": (with_value(np.nan), "vector 1 holds nan"),
    "infinite": (with_value(np.inf), "vector 1 holds inf"),
    "overflow": (lambda a: np.full((2, 4), 1e300), "holds inf"),
    "places of others": (lambda a: (a, np.zeros((1, 2))), "places of shape \\(1, 2\\)"),
    "places of one column": (lambda a: (a, np.zeros((len(a), 1))), "places have 1 columns"),
    "places outside": (lambda a: (a, np.full((len(a), 2), 2.0)), "\\[0, 1\\]"),
    "places of texts": (lambda a: (a, np.full((len(a), 2), "x")), "dtype <U1"),
}


@pytest.mark.parametrize("name", ITEMS)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_an_item_that_is_not_a_set(name):
    change, message = ITEMS[name]
    X, y = spoilt(change)
    for fit in (lambda: classifier().fit(X, y), lambda: SetEncoder("bow:words=3").fit(X), lambda: SetKernel("sum-match").fit(X)):
        with pytest.raises(muster.DataError, match=VIEWS) as raised:
            fit()
        assert raised.match(message)
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, muster.Error)


@pytest.mark.parametrize("name", set(ITEMS) - {"unequal dimensions"})
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_an_item_that_cannot_be_predicted(name):
    change, message = ITEMS[name]
    X, y = make_sets(9)
    bad = spoilt(change)[0]
    fitted, encoder, kernel = classifier().fit(X, y), SetEncoder("bow:words=3").fit(X), SetKernel("sum-match").fit(X)
    for use in (fitted.predict, fitted.predict_proba, fitted.decision_function, encoder.transform, kernel.transform, kernel.pairwise):
        with pytest.raises(muster.DataError, match=VIEWS) as raised:
            use(bad)
        assert raised.match(message)


def test_vectors_of_another_dimension(data):
    wide = [np.zeros((3, 7), np.float32)]
    for use in (classifier().fit(*data).predict, SetEncoder("bow:words=3").fit(data[0]).transform, SetKernel("pmk").fit(data[0]).transform):
        with pytest.raises(muster.DataError, match="vectors of 7 components"):
            use(wide)


def test_no_items(data):
    for fit in (lambda: classifier().fit([], []), lambda: SetEncoder().fit([]), lambda: SetKernel().fit([])):
        with pytest.raises(muster.UsageError, match="no items"):
            fit()
    fitted = classifier().fit(*data)
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 3)
    assert SetEncoder("bow:words=3").fit(data[0]).transform([]).shape[0] == 0
    assert SetKernel("pmk").fit(data[0]).transform([]).shape == (0, 45)
    assert len(LocalFeatures().transform([])) == 0


def test_an_empty_set_is_a_set_without_vectors(data):
    """As a picture without features; methods say what they make of it, and it is the same each time."""
    X = [*data[0], np.zeros((0, 4), np.float32)]
    y = [*data[1], 0]
    first, second = (classifier().fit(X, y).predict_proba(X[-2:]) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert np.isfinite(first).all()
    assert np.isfinite(SetEncoder("fisher:components=2").fit(X).transform(X)).all()
    with pytest.raises(muster.DataError):
        classifier().fit([np.zeros((0, 4), np.float32)] * 4, [0, 1, 0, 1])


@pytest.mark.parametrize(
    "X, error, message",
    [
        (np.zeros((5, 3)), muster.DataError, "one array of dtype float64 and shape \\(5, 3\\)"),
        (np.zeros(5), muster.DataError, "shape \\(5,\\)"),
        (np.zeros((8, 8), np.uint8), muster.DataError, "one array of dtype uint8"),
        ("photos", muster.UsageError, "of type str"),
        (b"bytes", muster.UsageError, "of type bytes"),
        (7, muster.UsageError, "of type int"),
        (None, muster.UsageError, "of type NoneType"),
    ],
)
def test_what_is_not_a_list_of_items(X, error, message):
    with pytest.raises(error, match=message):
        classifier().fit(X, [0, 1])
    with pytest.raises(error, match=message):
        SetEncoder("bow:words=2").fit(X)


def test_labels_that_do_not_fit(data):
    X, y = data
    with pytest.raises(muster.UsageError, match="44 labels for 45 items"):
        classifier().fit(X, y[:-1])
    with pytest.raises(muster.UsageError, match="44 labels for 45 items"):
        SetEncoder("bow:words=3").fit(X, y[:-1])
    with pytest.raises(muster.UsageError, match="y is None"):
        classifier().fit(X, None)
    with pytest.raises(muster.DataError, match="item 1: its label is empty"):
        classifier().fit(X, [""] + ["a"] * 44)
    with pytest.raises(ValueError, match="continuous"):
        classifier().fit(X, np.linspace(0, 1, 45))
    with pytest.raises(ValueError):
        classifier().fit(X, [np.nan] * 45)
    with pytest.raises(muster.DataError, match="indicator"):
        classifier().fit(X, np.full((45, 2), 3))
    with pytest.raises(muster.DataError, match="no item has label 1"):
        classifier().fit(X, np.eye(3)[[0, 2] * 22 + [0]])
    with pytest.raises(muster.UsageError, match="44 labels for 45 items"):
        classifier().fit(X, [["a"]] * 44)


def test_one_class(data):
    with pytest.raises(muster.DataError, match="class"):
        classifier().fit(data[0], ["only"] * 45)


def test_unknown_methods_and_options(data):
    X, y = data
    for estimator, message in (
        (SetClassifier("bow-liner"), "did you mean 'bow-linear'"),
        (SetClassifier("bwo/linear-svm"), "did you mean 'bow'"),
        (SetClassifier("bow:wrods=3/linear-svm"), "words"),
        (SetClassifier(QUICK, options={"wrods": 3}), "wrods"),
        (SetClassifier(QUICK, options={"words": -3}), "words"),
        (SetClassifier(QUICK, options={"words": "many"}), "many"),
        (SetClassifier("bow:words=3"), "bow:words=3"),
        (SetClassifier(QUICK, class_mixtures=True), "universal mixture"),
        (SetEncoder("fishre"), "did you mean 'fisher'"),
        (SetEncoder("sum-match"), "kernel"),
        (SetEncoder(QUICK), "classifier"),
        (SetKernel("pkm"), "did you mean"),
        (SetKernel(""), "recipe"),
    ):
        with pytest.raises(muster.UsageError, match=message):
            estimator.fit(X, y)


def test_parameters_of_the_wrong_kind(data):
    for parameters in ({"n_jobs": "all"}, {"progress": 3}, {"random_state": "one"}, {"n_jobs": 0}, {"method": 5}):
        with pytest.raises((ValueError, TypeError)):
            SetClassifier(QUICK).set_params(**parameters).fit(*data)


def test_not_fitted(data):
    X = data[0]
    for use in (
        classifier().predict,
        classifier().predict_proba,
        classifier().decision_function,
        classifier().save,
        SetEncoder().transform,
        SetKernel().transform,
        SetKernel().pairwise,
    ):
        with pytest.raises(NotFittedError):
            use(X)


def test_files_that_are_not_there(tmp_path, data, pictures):
    gone = str(tmp_path / "gone.npy")
    for use in (lambda: classifier().fit([gone, gone], [0, 1]), lambda: classifier().fit(*data).predict([gone]), lambda: muster.load(gone), lambda: muster.read_dataset(gone)):
        with pytest.raises(muster.DataError, match="gone.npy"):
            use()
    with pytest.raises(muster.DataError, match="gone.png"):
        LocalFeatures().transform([tmp_path / "gone.png"])
    with pytest.raises(muster.DataError, match="neither a picture nor a vector set"):
        classifier().fit(["notes.txt"] * 2, [0, 1])
    with pytest.raises(muster.RuntimeFailure, match="nowhere"):
        classifier().fit(*data).save(tmp_path / "nowhere" / "model.muster")
    (tmp_path / "no.muster").write_text("not a model")
    with pytest.raises(muster.DataError, match="no.muster"):
        muster.load(tmp_path / "no.muster")
    assert (tmp_path / "no.muster").exists()


def test_mixed_and_foreign_items(data, pictures):
    picture = np.zeros((16, 16, 3), np.uint8)
    with pytest.raises(muster.DataError, match="two kinds"):
        classifier().fit([data[0][0], picture], [0, 1])
    fitted = classifier().fit(*data)
    with pytest.raises(muster.DataError, match="item 2: a picture, but the model was trained on vector sets"):
        fitted.predict([data[0][0], picture])
    with pytest.raises(muster.UsageError, match="feature stage"):
        classifier().fit([picture, picture], [0, 1])
    for bad, message in ((np.zeros((4, 4, 5), np.uint8), "5 channels"), (np.zeros((0, 4), np.uint8), "4 x 0"), (np.zeros(4, np.uint8), "shape \\(4,\\)"), (b"no picture", "item 1")):
        with pytest.raises(muster.DataError, match=message):
            LocalFeatures().transform([bad])


def test_a_lenient_fit_leaves_out_and_warns():
    X, y = spoilt(with_value(np.nan))
    lenient = SetClassifier(QUICK, strict=False)
    with pytest.warns(muster.MusterWarning, match="left out: item 3"):
        lenient.fit(X, y)
    assert lenient.report_["items"] == 8
    assert lenient.report_["left_out"][0][0] == "item 3"
    good = [i for i in range(9) if i != 2]
    assert lenient.model_.bytes() == classifier().fit([X[i] for i in good], y[good]).model_.bytes()


def test_damaged_pickles_are_refused(data):
    model = classifier().fit(*data).model_
    damaged = bytearray(model.bytes())
    damaged[len(damaged) // 2] ^= 1
    again = type(model).__new__(type(model))
    with pytest.raises(muster.DataError, match="damaged"):
        again.__setstate__(bytes(damaged))
