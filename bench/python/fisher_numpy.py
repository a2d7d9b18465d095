"""Fisher vectors as a NumPy user writes them: the posteriors of scikit-learn's mixture, then the gradients of the log-likelihood by matrix
products, one set at a time. The formulas are those that skimage.feature.fisher_vector evaluates with improved=True. It writes
squares and roots as numpy.power, whose inner loop calls pow() once per value (NumPy 1.24); a careful user writes numpy.square and numpy.sqrt instead."""

import numpy as np


def fisher_vector(vectors, mixture, square=np.square, root=np.sqrt):
    """Gradients by weights, means and variances of a diagonal mixture, divided by their deviations; signed root, unit length."""
    shares = mixture.predict_proba(vectors)  # n x k
    count = len(vectors)
    zeroth = shares.mean(axis=0)[:, None]
    first = shares.T @ vectors / count
    second = shares.T @ square(vectors) / count
    weights, means, variances = mixture.weights_[:, None], mixture.means_, mixture.covariances_
    by_weight = (zeroth - weights) / np.sqrt(weights)
    by_mean = (first - zeroth * means) / np.sqrt(weights * variances)
    by_variance = (second - 2 * first * means + zeroth * (means**2 - variances)) / (np.sqrt(2 * weights) * variances)
    out = np.concatenate([by_weight.ravel(), by_mean.ravel(), by_variance.ravel()])
    out = np.sign(out) * root(np.abs(out))
    return out / max(np.linalg.norm(out), 1e-12)


def fisher_vector_of_skimage(vectors, mixture):
    return fisher_vector(vectors, mixture, square=lambda x: np.power(x, 2), root=lambda x: np.power(x, 0.5))
