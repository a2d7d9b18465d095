"""Patch embeddings of a network: sets, or their mean? A stand-in for a network makes the embeddings, so that the example needs none.

Each picture gives a set of patch embeddings. Most show background, which all classes share; the others show parts, which the classes mix in
shares and with a spread of their own. The mean of all patches blurs the first and loses the second; a set keeps both. What a real network
gives may be kinder to the mean, so compare on your own data.
"""

import argparse

import muster
import numpy as np
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--quick", action="store_true", help="few pictures, as the tests run it")
parser.add_argument("--figure", help="a picture of both accuracies to write (needs matplotlib)")
arguments = parser.parse_args()
rng = np.random.default_rng(0)
CLASSES, PARTS, DIM = 5, 12, 64
part_codes = rng.normal(size=(PARTS, DIM))
background = rng.normal(size=(30, DIM))
shares = rng.dirichlet(np.full(PARTS, 3.0), CLASSES)
spreads = np.linspace(0.5, 1.0, CLASSES)


def embeddings(label):
    """What a network would give for the 49 to 196 patches of one picture."""
    patches = rng.integers(49, 197)
    shown = background[rng.integers(0, len(background), patches)] + 0.5 * rng.normal(size=(patches, DIM))
    parts = rng.random(patches) < 0.4
    away = spreads[label] * rng.normal(size=(parts.sum(), DIM))
    shown[parts] = part_codes[rng.choice(PARTS, parts.sum(), p=shares[label])] + away
    return shown.astype(np.float32)


def means(X):
    return np.stack([patches.mean(axis=0) for patches in X])


per_class = 12 if arguments.quick else 60
labels = np.array(list(range(CLASSES)) * per_class)
sets = [embeddings(label) for label in labels]
half = len(sets) // 2

pooling = make_pipeline(FunctionTransformer(means), StandardScaler(), LogisticRegressionCV(cv=3, max_iter=1000))
candidates = {
    "mean pooling and logistic regression": pooling,
    "SetClassifier, fisher": muster.SetClassifier("pca:dim=24/fisher:components=16/linear-svm", n_jobs=-1),
    "SetClassifier, default": muster.SetClassifier(n_jobs=-1),
}
accuracies = {}
for name, candidate in candidates.items():
    candidate.fit(sets[:half], labels[:half])
    accuracies[name] = candidate.score(sets[half:], labels[half:])
    print(f"{name}: {100 * accuracies[name]:.1f} % of {len(sets) - half} new pictures")

if arguments.figure:
    import matplotlib.pyplot as plt

    plt.figure(figsize=(7, 2.2))
    plt.barh(list(accuracies)[::-1], [100 * value for value in accuracies.values()][::-1])
    plt.axvline(100 / CLASSES, color="grey", linestyle=":")
    plt.xlabel("% right (dotted: chance)")
    plt.tight_layout()
    plt.savefig(arguments.figure, dpi=80)
