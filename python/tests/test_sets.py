"""Sets(values, offsets): many sets in one array."""

import pickle

import numpy as np
import pytest

import muster
from conftest import make_sets
from muster._sets import item_views


def flat():
    sets, labels = make_sets(9)
    return sets, muster.Sets.from_list(sets), labels


def test_sets_are_those_of_the_list():
    arrays, sets, _ = flat()
    assert len(sets) == 9 and sets.shape == (9,)
    for array, one in zip(arrays, sets):
        np.testing.assert_array_equal(array, one)
    np.testing.assert_array_equal(sets[-1], arrays[-1])
    np.testing.assert_array_equal(sets.sizes, [len(array) for array in arrays])
    with pytest.raises(IndexError):
        sets[9]


def test_nothing_is_copied():
    values = np.zeros((10, 3), np.float32)
    sets = muster.Sets(values, [0, 4, 10])
    for part in (sets, sets[1:], sets[[1, 0]], sets[np.array([False, True])]):
        assert part.values is values or np.shares_memory(part.values, values)
        assert np.shares_memory(part[0], values)


def test_parts_keep_their_order_and_their_places():
    arrays, sets, _ = flat()
    places = np.random.default_rng(0).random((len(sets.values), 2), np.float32)
    sets = muster.Sets(sets.values, np.concatenate([[0], np.cumsum(sets.sizes)]), places)
    part = sets[[5, 2]]
    np.testing.assert_array_equal(part[0], arrays[5])
    np.testing.assert_array_equal(part[1], arrays[2])
    np.testing.assert_array_equal(part.places[1], sets.places[2])
    np.testing.assert_array_equal(sets[np.array([5, 2]), ...][1], arrays[2])
    assert "with places" in repr(part)
    assert flat()[1].places is None


def test_every_form_of_the_same_sets_gives_the_same_model():
    arrays, sets, labels = flat()
    expected = muster.SetClassifier("bow:words=4/linear-svm:C=1").fit(arrays, labels).model_.bytes()
    wide = np.zeros((sum(map(len, arrays)), 7), np.float32)
    wide[:, 2:6] = sets.values
    strided = [wide[start : start + size, 2:6] for start, size in zip(np.cumsum(sets.sizes) - sets.sizes, sets.sizes)]
    forms = {
        "flat": sets,
        "part": muster.Sets.from_list([arrays[0], *arrays])[1:],
        "tuple": tuple(arrays),
        "object array": np.array([*arrays, None], dtype=object)[:-1],
        "float64": [array.astype(np.float64) for array in arrays],
        "Fortran order": [np.asfortranarray(array) for array in arrays],
        "reversed twice": [array[::-1].copy()[::-1] for array in arrays],
        "strided": strided,
        "big-endian": [array.astype(">f4") for array in arrays],
        "read-only": [array.copy() for array in arrays],
    }
    for array in forms["read-only"]:
        array.flags.writeable = False
    for name, form in forms.items():
        model = muster.SetClassifier("bow:words=4/linear-svm:C=1").fit(form, labels).model_
        assert model.bytes() == expected, name


def test_sets_of_equal_size_may_be_one_array():
    stack = np.random.default_rng(0).normal(size=(6, 5, 3))
    assert len(item_views(stack)) == 6
    assert item_views(stack).dim == 3


def test_pickled_sets_are_the_same():
    arrays, sets, _ = flat()
    again = pickle.loads(pickle.dumps(sets[3:6]))
    for array, one in zip(arrays[3:6], again):
        np.testing.assert_array_equal(array, one)


@pytest.mark.parametrize(
    "values, offsets, places, message",
    [
        (np.zeros(5, np.float32), [0, 5], None, "two dimensions"),
        (np.zeros((5, 2), int), [0, 5], None, "dtype int64"),
        (np.array([["a"]]), [0, 1], None, "dtype <U1"),
        (np.zeros((5, 2)), [0, 6], None, "at most 5"),
        (np.zeros((5, 2)), [0, 3, 2, 5], None, "rise"),
        (np.zeros((5, 2)), [-1, 5], None, "rise from 0"),
        (np.zeros((5, 2)), [], None, "n . 1"),
        (np.zeros((5, 2)), [0.0, 5.0], None, "whole numbers"),
        (np.zeros((5, 2)), [[0, 5]], None, "n . 1"),
        (np.zeros((5, 2)), [0, 5], np.zeros((4, 2)), "places of 4 vectors for 5"),
    ],
)
def test_what_does_not_fit_is_a_data_error(values, offsets, places, message):
    with pytest.raises(muster.DataError, match=message):
        muster.Sets(values, offsets, places)


def test_lists_that_make_no_sets():
    with pytest.raises(muster.UsageError, match="no sets"):
        muster.Sets.from_list([])
    with pytest.raises(muster.DataError, match="item 2: its vectors have 4 components, those of item 1 have 3"):
        muster.Sets.from_list([np.zeros((2, 3)), np.zeros((2, 4))])


def with_copies(arrays, weights):
    return [np.repeat(array, np.asarray(weight, int), axis=0) for array, weight in zip(arrays, weights)]


def test_a_weight_is_a_number_of_copies():
    arrays, sets, labels = flat()
    weights = [np.arange(len(array)) % 3 + 0.0 for array in arrays]
    offsets = np.concatenate([[0], np.cumsum(sets.sizes)])
    weighted = muster.Sets(sets.values, offsets, weights=np.concatenate(weights))
    triples = [(array, None, weight) for array, weight in zip(arrays, weights)]
    encoder = muster.SetEncoder("fisher:components=2").fit(arrays)
    expected = encoder.transform(with_copies(arrays, weights))
    np.testing.assert_allclose(encoder.transform(weighted), expected, atol=1e-3)
    np.testing.assert_array_equal(encoder.transform(triples), encoder.transform(weighted))
    assert np.abs(encoder.transform(sets) - expected).max() > 0.01
    classifier = muster.SetClassifier("emk-fourier:dim=50,gamma=1/linear-svm:C=1").fit(weighted, labels)
    assert classifier.score(weighted, labels) > 0.8


def test_parts_keep_their_weights():
    arrays, sets, _ = flat()
    weights = np.random.default_rng(0).random(len(sets.values), np.float32)
    sets = muster.Sets(sets.values, np.concatenate([[0], np.cumsum(sets.sizes)]), weights=weights)
    np.testing.assert_array_equal(sets[[5, 2]].weights[1], sets.weights[2])
    assert "with weights" in repr(sets) and flat()[1].weights is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(sets)).weights[3], sets.weights[3])


@pytest.mark.parametrize(
    "weights, message",
    [
        ([1, 2], "weights of shape \\(2,\\) for 3 vectors"),
        ([[1], [2], [3]], "weights of shape \\(3, 1\\) for 3 vectors"),
        ([1, -1, 1], "weight of vector 1 is -1"),
        ([1, np.nan, 1], "weight of vector 1 is nan"),
        ([1, 2e6, 1], "weight of vector 1 is"),
        ([0, 0, 0], "all weights are 0"),
    ],
)
def test_bad_weights_are_named(weights, message):
    vectors = np.eye(3, dtype=np.float32)
    encoder = muster.SetEncoder("mean").fit([vectors])
    with pytest.raises(muster.DataError, match=message):
        encoder.transform([(vectors, None, np.asarray(weights, np.float64))])
    with pytest.raises(muster.DataError, match=message):
        encoder.transform(muster.Sets(vectors, [0, 3], weights=np.asarray(weights, np.float64)))


def test_kernels_between_sets_refuse_weights():
    vectors = np.eye(3, dtype=np.float32)
    with pytest.raises(muster.DataError, match="has weights, which this kernel between sets does not take"):
        muster.SetKernel("sum-match:gamma=1").fit([(vectors, None, np.ones(3, np.float32))])
    kernel = muster.SetKernel("bow:words=2/rbf:gamma=1").fit([vectors, vectors])
    assert kernel.transform([(vectors, None, np.ones(3, np.float32))]).shape == (1, 2)
