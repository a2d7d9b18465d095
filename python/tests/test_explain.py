"""SetClassifier.explain, effort, groups, and that sources are Python 3.9's."""

import ast
import pathlib

import numpy as np
import pytest

import muster
from conftest import QUICK
from muster import SetClassifier


def test_exact_evidence_adds_up_to_the_score(data, fresh):
    classifier = SetClassifier(QUICK).fit(*data)
    x = fresh[0][0]
    explanation = classifier.explain(x)
    assert isinstance(explanation, muster.Explanation)
    assert explanation.label == classifier.predict([x])[0]
    assert explanation.by == "exact" and explanation.against is None
    assert explanation.evidence.shape == (len(x),)
    assert explanation.evidence.sum() + explanation.rest == pytest.approx(explanation.score, abs=1e-6)
    column = list(classifier.classes_).index(explanation.label)
    assert explanation.score == pytest.approx(classifier.decision_function([x])[0, column], abs=1e-6)
    assert explanation.probability == pytest.approx(classifier.predict_proba([x])[0, column])
    assert explanation.places is None and explanation.map is None
    assert explanation.evidence[explanation.strongest_for[0]] == explanation.evidence.max()


def test_the_class_may_be_named_and_another_subtracted(data, fresh):
    classifier = SetClassifier(QUICK).fit(*data)
    x, (first, second) = fresh[0][0], classifier.classes_[:2]
    one, other = classifier.explain(x, first), classifier.explain(x, second)
    difference = classifier.explain(x, first, against=second)
    assert difference.label == first and difference.against == second
    assert difference.score == pytest.approx(one.score - other.score, abs=1e-6)
    with pytest.raises(muster.UsageError, match="class"):
        classifier.explain(x, "no such class")


def test_places_give_a_map(data):
    rng = np.random.default_rng(0)
    X = [(one, rng.random((len(one), 3), dtype=np.float32)) for one in data[0]]
    explanation = SetClassifier(QUICK).fit(X, data[1]).explain(X[0], map_side=16)
    assert explanation.places.shape == (len(X[0][0]), 3)
    assert max(explanation.map.shape) == 16
    assert explanation.map.sum() == pytest.approx(explanation.evidence.sum(), abs=1e-6)


def test_kernel_machines_name_the_items_that_decided(data, fresh):
    explanation = SetClassifier("bow:words=6/rbf/kernel-svm:C=10").fit(*data).explain(fresh[0][0], deciding=3)
    assert 1 <= len(explanation.deciding) <= 3
    assert all(isinstance(one, muster.DecidingItem) and one.labels[0] in data[1] for one in explanation.deciding)


def test_effort_and_the_table_of_the_choice(data):
    choice = SetClassifier(effort="quick").fit(*data).report_["choice"]
    assert choice["effort"] == "quick" and sum(one["chosen"] for one in choice["tried"]) == 1
    assert SetClassifier(QUICK).fit(*data).report_["choice"] is None
    with pytest.raises(muster.UsageError, match="quick, normal, thorough"):
        SetClassifier(effort="great").fit(*data)


# Items of one group are alike and of a random class: judged on other groups, nothing can be learned.
def test_groups_stay_together():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(24), 4)
    centres = 5 * rng.normal(size=(24, 8))
    X = [rng.normal(centres[group], 0.1, (12, 8)).astype(np.float32) for group in groups]
    y = rng.permutation(24)[groups] % 2
    loose = SetClassifier(effort="quick").fit(X, y).report_["choice"]["estimate"]
    grouped = SetClassifier(effort="quick").fit(X, y, groups=groups).report_["choice"]["estimate"]
    assert loose > 0.9 and grouped < loose - 0.15
    with pytest.raises(muster.UsageError, match="groups"):
        SetClassifier(effort="quick").fit(X, y, groups=groups[:5])


@pytest.mark.parametrize("path", sorted(pathlib.Path(muster.__file__).parent.glob("*.py*")), ids=lambda path: path.name)
def test_sources_are_those_of_python_3_9(path):
    if path.suffix in (".py", ".pyi"):
        ast.parse(path.read_text(), feature_version=(3, 9))
