"""Point clouds as sets: which solid were these points drawn from? Each cloud has its own number of points, turned and noisy."""

import argparse

import muster
import numpy as np
from sklearn.model_selection import GridSearchCV

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="few clouds, as the tests run it")
parser.add_argument("--figure", help="a picture of clouds and accuracies to write (needs matplotlib)")
arguments = parser.parse_args()
rng = np.random.default_rng(0)
SOLIDS = ["ball", "cube", "cylinder", "ring"]


def cloud(solid):
    """Between 60 and 300 points on the surface, turned at random about the upright axis, with noise."""
    count = rng.integers(60, 300)
    angle, height = rng.uniform(0, 2 * np.pi, count), rng.uniform(-1, 1, count)
    if solid == "ball":
        radius = np.sqrt(1 - height**2)
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    elif solid == "cylinder":
        points = np.stack([0.7 * np.cos(angle), 0.7 * np.sin(angle), height], axis=1)
    elif solid == "ring":
        around = rng.uniform(0, 2 * np.pi, count)
        points = np.stack([(0.8 + 0.3 * np.cos(around)) * np.cos(angle), (0.8 + 0.3 * np.cos(around)) * np.sin(angle), 0.3 * np.sin(around)], axis=1)
    else:
        points = rng.uniform(-0.8, 0.8, (count, 3))
        points[np.arange(count), rng.integers(0, 3, count)] = rng.choice([-0.8, 0.8], count)
    turn = rng.uniform(0, 2 * np.pi)
    points[:, :2] = points[:, :2] @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return (points + rng.normal(0, 0.25, points.shape)).astype(np.float32)


count = 15 if arguments.quick else 100
labels = np.array(SOLIDS * count)
sets = muster.Sets.from_list(cloud(solid) for solid in labels)  # one array for all points
half = len(sets) // 2

search = GridSearchCV(
    muster.SetClassifier(),
    {"method": ["bow:words=50/linear-svm", "fisher:components=16/linear-svm", "pmk:pyramids=3/kernel-svm"]},
    cv=3,
    n_jobs=-1,
).fit(sets[:half], labels[:half])
for method, score in zip(search.cv_results_["param_method"], search.cv_results_["mean_test_score"]):
    print(f"{method}: {100 * score:.1f} % by cross-validation")
print(f"the best on {len(sets) - half} new clouds: {100 * search.score(sets[half:], labels[half:]):.1f} %")

if arguments.figure:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9, 2.6))
    for i, solid in enumerate(SOLIDS):
        axes = figure.add_subplot(1, 4, i + 1, projection="3d")
        axes.scatter(*sets[i].T, s=3)
        axes.set_title(solid)
        axes.set_axis_off()
    plt.tight_layout()
    plt.savefig(arguments.figure, dpi=80)
