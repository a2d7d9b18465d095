"""Fisher vectors as a NumPy user writes them: the posteriors of scikit-learn's mixture, then the gradients of the log-likelihood by matrix
products, one set at a time. The formulas are those that scikit-image's skimage.feature.fisher_vector evaluates, with improved=True."""

import numpy as np


def fisher_vector(vectors, mixture):
    """Gradients by weights, means and variances of a diagonal mixture, divided by their deviations; signed root, unit length."""
    shares = mixture.predict_proba(vectors)  # n x k
    count = len(vectors)
    zeroth = shares.mean(axis=0)[:, None]
    first = shares.T @ vectors / count
    second = shares.T @ vectors**2 / count
    weights, means, variances = mixture.weights_[:, None], mixture.means_, mixture.covariances_
    by_weight = (zeroth - weights) / np.sqrt(weights)
    by_mean = (first - zeroth * means) / np.sqrt(weights * variances)
    by_variance = (second - 2 * first * means + zeroth * (means**2 - variances)) / (np.sqrt(2 * weights) * variances)
    out = np.concatenate([by_weight.ravel(), by_mean.ravel(), by_variance.ravel()])
    out = np.sign(out) * np.sqrt(np.abs(out))
    return out / max(np.linalg.norm(out), 1e-12)
