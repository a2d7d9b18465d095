"""SetEncoder and SetKernel beside NumPy, and what pickling keeps."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.svm import SVC

import muster
from conftest import make_sets
from muster import SetEncoder, SetKernel


def test_a_bag_of_words_is_a_histogram(data):
    """Against words and counts by NumPy: two words, far apart, are the two centres."""
    rng = np.random.default_rng(0)
    X = [np.concatenate([rng.normal(0, 0.01, (zeros, 2)), rng.normal(9, 0.01, (nines, 2))]) for zeros, nines in [(3, 1), (1, 3), (2, 2), (4, 0)]]
    vectors = SetEncoder("bow:words=2").fit_transform(X)
    shares = np.array([[3, 1], [1, 3], [2, 2], [4, 0]]) / 4
    norm = vectors[0].sum() if np.isclose(vectors.sum(axis=1), vectors[0].sum()).all() else None
    assert norm is not None
    assert np.allclose(vectors / norm, shares, atol=1e-5) or np.allclose(vectors / norm, shares[:, ::-1], atol=1e-5)


def test_an_encoder_gives_one_row_per_set(data, fresh):
    encoder = SetEncoder("pca:dim=3/fisher:components=2", options={"components": 4})
    vectors = encoder.fit(data[0]).transform(fresh[0])
    assert vectors.shape == (18, encoder.encoder_.dim) and vectors.dtype == np.float32
    assert vectors.flags.c_contiguous and vectors.flags.writeable
    assert "components=4" in encoder.recipe_
    for i in (0, 7):
        np.testing.assert_array_equal(encoder.transform([fresh[0][i]])[0], vectors[i])
    names = encoder.get_feature_names_out()
    assert len(names) == vectors.shape[1] and names[0] == "setencoder0"


def test_labels_are_for_stages_that_want_them(data):
    with_labels = SetEncoder("bow:words=6,per_category=true").fit(*data)
    assert with_labels.transform(data[0]).shape[0] == 45
    without = SetEncoder("bow:words=6")
    np.testing.assert_array_equal(without.fit_transform(*data), without.fit_transform(data[0]))


@pytest.mark.parametrize("recipe", ["pmk:pyramids=2", "bow:words=6/rbf", "sum-match", "fisher:components=2"])
def test_a_kernel_against_the_training_sets(data, fresh, recipe):
    kernel = SetKernel(recipe)
    gram = kernel.fit_transform(data[0])
    assert gram.shape == (45, 45)
    np.testing.assert_array_equal(gram, gram.T)
    rows = kernel.transform(fresh[0])
    assert rows.shape == (18, 45)
    np.testing.assert_allclose(kernel.transform(data[0]), gram, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(kernel.pairwise(fresh[0], data[0]), rows, rtol=1e-9, atol=1e-9)
    square = kernel.pairwise(fresh[0])
    np.testing.assert_array_equal(square, square.T)


def test_the_dot_products_of_an_encoder_are_the_kernel_that_stops_at_it(data):
    vectors = SetEncoder("fisher:components=2").fit_transform(data[0]).astype(float)
    np.testing.assert_allclose(SetKernel("fisher:components=2").fit_transform(data[0]), vectors @ vectors.T, rtol=1e-4, atol=1e-4)


def test_a_sum_match_is_what_numpy_says():
    X = make_sets(4)[0]
    kernel = SetKernel("sum-match:kernel=gaussian,gamma=0.5").fit(X)

    def mean_kernel(a, b):
        squared = ((a[:, None, :].astype(float) - b[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-0.5 * squared).mean()

    expected = np.array([[mean_kernel(a, b) for b in X] for a in X])
    found = kernel.pairwise(X)
    # The kernel may be scaled; the shape of the matrix is what the formula says.
    np.testing.assert_allclose(found / found[0, 0], expected / expected[0, 0], rtol=1e-4)


def test_a_support_vector_machine_on_the_kernel(data, fresh):
    kernel = SetKernel("pmk:pyramids=2/normalise")
    machine = SVC(kernel="precomputed").fit(kernel.fit_transform(data[0]), data[1])
    assert machine.score(kernel.transform(fresh[0]), fresh[1]) == 1


def test_pickle_and_copy_keep_both(data, fresh):
    encoder, kernel = SetEncoder("fisher:components=2").fit(data[0]), SetKernel("bow:words=5/rbf").fit(data[0])
    for again in (pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder), copy.copy(encoder)):
        np.testing.assert_array_equal(again.transform(fresh[0]), encoder.transform(fresh[0]))
        assert again.get_params() == encoder.get_params() and again.recipe_ == encoder.recipe_
    for again in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        np.testing.assert_array_equal(again.transform(fresh[0]), kernel.transform(fresh[0]))
        assert len(again.kernel_) == 45


def test_what_the_data_are_told_of_a_width(data):
    with pytest.warns(muster.MusterWarning, match="gamma=auto"):
        SetKernel("bow:words=6/rbf").fit(data[0])
