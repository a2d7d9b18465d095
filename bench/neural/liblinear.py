#!/usr/bin/env python3
"""The preset `neural` beside averaged cells with LIBLINEAR (scikit-learn's LinearSVC), on the same cells and splits.

    bench/neural/liblinear.py NETWORK.onnx CACHE DATA TRAIN_PER_CLASS SPLITS [SEED]

The peer may choose: cells at side 256, at side 384 or at both; their mean as it is or at length 1; C from 0.0001 to 100. It chooses by cross-validation with
five folds on the training pictures. Data with several labels per picture are cut into halves and judged by mean average precision; pictures of
one object (ETH-80) are never on both sides, and TRAIN_PER_CLASS counts objects then. Prints one JSON object per split. PYTHONPATH names the package if it is not installed.
"""
import json
import os
import sys

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer, Normalizer
from sklearn.svm import LinearSVC

import muster

GRID = [10.0**power for power in range(-4, 3)]


def split(data, per_class, rng):
    """Positions of training and test items."""
    train = []
    if data.multi_label:
        order = rng.permutation(len(data))
        return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    for name in data.class_names:
        of_class = np.flatnonzero(data.labels == name)
        objects = np.unique(data.groups[of_class])
        if len(objects) < len(of_class):
            train.extend(of_class[np.isin(data.groups[of_class], rng.permutation(objects)[:per_class])])
        else:
            train.extend(rng.permutation(of_class)[:per_class])
    return np.sort(train), np.setdiff1d(np.arange(len(data)), train)


def peer(means, targets, train, test, multi_label):
    """Accuracy, or mean average precision, and what was chosen."""
    best = None
    for name, vectors in means.items():
        svm = LinearSVC(dual=True, random_state=0, max_iter=5000)
        pipeline = make_pipeline(Normalizer(), OneVsRestClassifier(svm) if multi_label else svm)
        step = pipeline.steps[1][0]
        search = GridSearchCV(pipeline, {"normalizer": [Normalizer(), FunctionTransformer()], step + ("__estimator" if multi_label else "") + "__C": GRID}, cv=5,
                              scoring="average_precision" if multi_label else "accuracy")
        search.fit(vectors[train], targets[train])
        if best is None or search.best_score_ > best[0]:
            best = (search.best_score_, name, search)
    _, name, search = best
    return score(targets[test], search.decision_function(means[name][test]) if multi_label else search.predict(means[name][test]), multi_label), f"{name}, {search.best_params_}"


def score(truth, said, multi_label):
    return float(average_precision_score(truth, said, average="macro") if multi_label else np.mean(truth == said))


def main():
    network, cache, folder, per_class, splits = sys.argv[1:6]
    seed = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    os.environ["MUSTER_DNN_MODEL"] = network
    data = muster.read_dataset(folder)
    means = {}
    for sides in ("256", "384"):
        encoder = muster.SetEncoder(f"dnn:sides={sides}/mean:power=1,l2=false", cache=cache)
        means[sides] = encoder.fit(data.paths[:2]).transform(data.paths)
    means["256 and 384"] = np.hstack([means["256"], means["384"]])
    targets = MultiLabelBinarizer(classes=data.class_names).fit_transform(data.labels) if data.multi_label else data.labels
    for number in range(int(splits)):
        train, test = split(data, int(per_class), np.random.default_rng(seed + number))
        labels = [data.labels[i] for i in train]
        ours = muster.SetClassifier("neural", cache=cache).fit([data.paths[i] for i in train], labels)
        paths = [data.paths[i] for i in test]
        if data.multi_label:
            order = [list(ours.classes_).index(name) for name in data.class_names]
            our_score = score(targets[test], ours.decision_function(paths)[:, order], True)
        else:
            our_score = score(targets[test], ours.predict(paths), False)
        their_score, choice = peer(means, targets, train, test, data.multi_label)
        print(json.dumps({"data": os.path.basename(os.path.normpath(folder)), "train": len(train), "test": len(test), "seed": seed + number, "neural": our_score,
                          "liblinear": their_score, "liblinear_chose": choice}), flush=True)


if __name__ == "__main__":
    main()
