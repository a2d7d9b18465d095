"""In scikit-learn's tools, and under its own checks of estimators."""

import numpy as np
import pytest
import sklearn.utils.estimator_checks as checks
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import muster
from conftest import QUICK, make_sets
from muster import LocalFeatures, SetClassifier, SetEncoder, SetKernel, Sets

ESTIMATORS = [SetClassifier(QUICK), SetEncoder("bow:words=4"), SetKernel("pmk"), LocalFeatures()]


@pytest.fixture(params=["list", "Sets"])
def forms(request, data, fresh):
    """Both forms of X."""
    make = Sets.from_list if request.param == "Sets" else list
    return make(data[0]), data[1], make(fresh[0]), fresh[1]


def halves(X):
    """Centres each set, as an example of a function on sets."""
    return [vectors - 0.5 for vectors in X]


def test_pipelines(forms):
    X, y, new, truth = forms
    for pipeline in (
        make_pipeline(SetEncoder("fisher:components=2"), StandardScaler(), LogisticRegression()),
        make_pipeline(SetKernel("pmk:pyramids=2/normalise"), SVC(kernel="precomputed")),
        make_pipeline(FunctionTransformer(halves), SetClassifier(QUICK)),
        make_pipeline(make_union(SetEncoder("bow:words=4"), SetEncoder("vlad:words=2")), LogisticRegression()),
    ):
        assert pipeline.fit(X, y).score(new, truth) == 1
        assert "Set" in repr(pipeline) and "Set" in pipeline._repr_html_()


def test_pictures_in_a_pipeline(pictures):
    data = muster.read_dataset(pictures)
    pipeline = make_pipeline(LocalFeatures("dsift/root"), SetEncoder("bow:words=20"), LogisticRegression(C=100))
    assert cross_val_score(pipeline, data.paths, data.labels, cv=2).mean() > 0.8


def test_grid_search_over_methods_and_options(forms):
    X, y, new, truth = forms
    search = GridSearchCV(
        SetClassifier(),
        [
            {"method": [QUICK, "fisher:components=2/linear-svm:C=1"]},
            {"method": [QUICK], "options": [{"words": 4}, {"words": 16}]},
        ],
        cv=3,
        n_jobs=2,
    ).fit(X, y)
    assert search.best_score_ == 1 and len(search.cv_results_["params"]) == 4
    assert search.score(new, truth) == 1
    recipe = GridSearchCV(make_pipeline(SetEncoder(), LogisticRegression()), {"setencoder__recipe": ["bow:words=4", "fisher:components=2"]}, cv=3)
    assert recipe.fit(X, y).best_score_ == 1


def test_cross_validation(forms):
    X, y, _, _ = forms
    assert cross_val_score(SetClassifier(QUICK), X, y, cv=5).min() >= 0.9
    probabilities = cross_val_predict(SetClassifier(QUICK), X, y, method="predict_proba")
    assert probabilities.shape == (45, 3)
    groups = np.repeat(np.arange(15), 3)
    assert len(cross_val_score(SetClassifier(QUICK), X, y, groups=groups, cv=GroupKFold(3), scoring="roc_auc_ovr")) == 3
    # A kernel is fitted in each fold to the training sets alone.
    assert cross_val_score(make_pipeline(SetKernel("pmk"), SVC(kernel="precomputed")), X, y, cv=3).mean() > 0.9
    first, second = train_test_split(X, test_size=0.2, random_state=0)
    assert len(first) == 36 and len(second) == 9


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting(forms, voting):
    X, y, new, truth = forms
    vote = VotingClassifier([("words", SetClassifier(QUICK)), ("fisher", SetClassifier("fisher:components=2/logistic:C=1"))], voting=voting)
    assert vote.fit(X, y).score(new, truth) == 1


def test_one_against_the_rest():
    X, y = make_sets(30)
    each = SetClassifier(QUICK).fit(X, y == 1)
    assert each.predict(X).dtype == bool and each.score(X, y == 1) > 0.9


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_clones_have_the_same_parameters(estimator):
    again = clone(estimator)
    assert again is not estimator and again.get_params() == estimator.get_params()
    assert again.set_params(n_jobs=2).n_jobs == 2
    with pytest.raises(ValueError, match="wrods"):
        again.set_params(wrods=3)


# scikit-learn's checks hand over one 2-D array, of which each row is an item. These are the ones that do not, or that need no X at all.
WITHOUT_X = [
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_estimator_get_tags_default_keys",
    "check_estimators_partial_fit_n_features",
]
# What they ask of X in two dimensions, these tests ask of sets (see the functions below).
ON_SETS = {
    "check_dont_overwrite_parameters": "test_fitting_changes_no_parameter",
    "check_estimators_overwrite_params": "test_fitting_changes_no_parameter",
    "check_dict_unchanged": "test_predicting_changes_nothing",
    "check_fit_idempotent": "test_fitting_twice_is_fitting_once",
    "check_fit2d_predict1d": "test_bad_input.py: one dimension",
    "check_fit1d": "test_bad_input.py: what is not a list of items",
    "check_fit_score_takes_y": "test_fit_takes_y_second",
    "check_estimators_pickle": "test_classifier.py and test_encoders.py: pickle",
    "check_estimators_nan_inf": "test_bad_input.py: NaN, infinite",
    "check_estimators_unfitted": "test_bad_input.py: not fitted",
    "check_estimators_empty_data_messages": "test_bad_input.py: no items",
    "check_estimators_dtypes": "test_sets.py: every form of the same sets",
    "check_dtype_object": "test_bad_input.py: object array",
    "check_complex_data": "test_bad_input.py: complex",
    "check_readonly_memmap_input": "test_read_only_memory",
    "check_methods_subset_invariance": "test_the_order_and_company_of_items_do_not_matter",
    "check_methods_sample_order_invariance": "test_the_order_and_company_of_items_do_not_matter",
    "check_classifiers_train": "test_classifier.py: it learns",
    "check_classifiers_classes": "test_classifier.py: labels come back as they were",
    "check_classifiers_regression_target": "test_bad_input.py: labels that do not fit",
    "check_classifiers_one_label": "test_bad_input.py: one class",
    "check_supervised_y_no_nan": "test_bad_input.py: labels that do not fit",
    "check_supervised_y_2d": "test_labels_in_a_column",
    "check_requires_y_none": "test_bad_input.py: labels that do not fit",
    "check_decision_proba_consistency": "test_scores_and_probabilities_agree",
    "check_classifier_data_not_an_array": "test_sets.py: every form of the same sets",
    "check_classifier_multioutput": "test_classifier.py: several labels in every form",
    "check_classifiers_multilabel_output_format_decision_function": "test_classifier.py: several labels in every form",
    "check_classifiers_multilabel_output_format_predict": "test_classifier.py: several labels in every form",
    "check_classifiers_multilabel_output_format_predict_proba": "test_classifier.py: several labels in every form",
    "check_classifiers_multilabel_representation_invariance": "test_classifier.py: several labels in every form",
    "check_transformer_general": "test_fit_transform_is_fit_and_transform",
    "check_transformer_preserve_dtypes": "vectors are float32 whatever the sets are: test_encoders.py",
    "check_transformer_data_not_an_array": "test_sets.py: every form of the same sets",
    "check_transformers_unfitted": "test_bad_input.py: not fitted",
}
# No counterpart: what they ask makes sense for columns of one table only, or for what these estimators do not have.
LEFT_OUT = {
    "check_n_features_in": "columns of a table",
    "check_n_features_in_after_fitting": "columns of a table",
    "check_fit2d_1feature": "columns of a table; a set may have one vector, or vectors of one component",
    "check_fit2d_1sample": "rows of a table",
    "check_estimator_sparse_data": "sparse tables",
    "check_sample_weights_pandas_series": "there are no sample weights",
    "check_sample_weights_not_an_array": "there are no sample weights",
    "check_sample_weights_list": "there are no sample weights",
    "check_sample_weights_shape": "there are no sample weights",
    "check_sample_weights_not_overwritten": "there are no sample weights",
    "check_sample_weights_invariance": "there are no sample weights",
    "check_fit_check_is_fitted": "fits a table; the same is asked in test_bad_input.py: not fitted",
    "check_pipeline_consistency": "fits a table; see test_pipelines",
    "check_param_validation": "fits a table; parameters are checked by the library: test_bad_input.py, unknown methods and options",
    "check_set_output_transform": "fits a table",
    "check_set_output_transform_pandas": "fits a table",
    "check_global_ouput_transform_pandas": "fits a table",
    "check_classifiers_one_label_sample_weights": "there are no sample weights",
    "check_non_transformer_estimators_n_iter": "there is no max_iter",
    "check_transformer_n_iter": "there is no max_iter",
    "check_class_weight_classifiers": "there are no class weights",
    "check_estimators_fit_returns_self": "fits a table; see test_classifier.py: it learns",
    "check_transformers_unfitted_stateless": "transforms a table; LocalFeatures needs no fit: test_features.py",
}


def all_checks(estimator):
    """What scikit-learn would check of an estimator of tables with these mixins."""

    class OfTables(type(estimator)):
        def _more_tags(self):
            return {**super()._more_tags(), "X_types": ["2darray"]}

        _get_param_names = type(estimator)._get_param_names

    OfTables.__name__ = type(estimator).__name__
    found = {}
    for check in checks._yield_all_checks(OfTables(**estimator.get_params())):
        name = getattr(check, "func", check).__name__
        found.setdefault(name, []).append(check)
    return found


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_checks_that_assume_no_table_pass(estimator):
    found = all_checks(estimator)
    ran = [name for name in found if name in WITHOUT_X]
    for name in ran:
        for check in found[name]:
            check(type(estimator).__name__, clone(estimator))
    assert len(ran) >= 4


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_check_is_accounted_for(estimator):
    assert sorted(set(all_checks(estimator)) - set(WITHOUT_X) - set(ON_SETS) - set(LEFT_OUT)) == []


def fitted(estimator, data):
    return clone(estimator).fit(data[0], data[1]) if not isinstance(estimator, LocalFeatures) else clone(estimator)


SETS = ESTIMATORS[:3]


@pytest.mark.parametrize("estimator", SETS, ids=lambda e: type(e).__name__)
def test_fitting_changes_no_parameter(estimator, data):
    one = clone(estimator)
    before = one.get_params()
    one.fit(*data)
    assert one.get_params() == before
    assert all(name.endswith("_") or name.startswith("_") for name in set(vars(one)) - set(before))


@pytest.mark.parametrize("estimator", SETS, ids=lambda e: type(e).__name__)
def test_predicting_changes_nothing(estimator, data, fresh):
    one = fitted(estimator, data)
    before = dict(vars(one))
    (one.predict if hasattr(one, "predict") else one.transform)(fresh[0])
    assert vars(one) == before


@pytest.mark.parametrize("estimator", SETS, ids=lambda e: type(e).__name__)
def test_fitting_twice_is_fitting_once(estimator, data, fresh):
    one = fitted(estimator, data)
    use = lambda e: (e.predict_proba if hasattr(e, "predict_proba") else e.transform)(fresh[0])
    first = use(one)
    np.testing.assert_array_equal(use(one.fit(*data)), first)


def test_fit_takes_y_second():
    import inspect

    for estimator in ESTIMATORS:
        assert list(inspect.signature(estimator.fit).parameters)[:2] == ["X", "y"]


def test_read_only_memory(tmp_path, data, fresh):
    sets = Sets.from_list(data[0])
    np.save(tmp_path / "values.npy", sets.values)
    mapped = Sets(np.load(tmp_path / "values.npy", mmap_mode="r"), np.concatenate([[0], np.cumsum(sets.sizes)]))
    assert SetClassifier(QUICK).fit(mapped, data[1]).model_.bytes() == SetClassifier(QUICK).fit(*data).model_.bytes()


def test_the_order_and_company_of_items_do_not_matter(data, fresh):
    X = fresh[0]
    order = np.random.default_rng(0).permutation(len(X))
    for one in (fitted(estimator, data) for estimator in SETS):
        use = one.predict_proba if hasattr(one, "predict_proba") else one.transform
        together = use(X)
        np.testing.assert_array_equal(np.concatenate([use([x]) for x in X]), together)
        np.testing.assert_array_equal(use([X[i] for i in order]), together[order])


def test_labels_in_a_column(data):
    with pytest.warns(Warning, match="column-vector"):
        column = SetClassifier(QUICK).fit(data[0], data[1][:, None])
    assert column.model_.bytes() == SetClassifier(QUICK).fit(*data).model_.bytes()


def test_scores_and_probabilities_agree():
    X, y = make_sets(40, classes=2)
    for method in (QUICK, "bow:words=6/rbf/kernel-svm:C=10", "fisher:components=2/logistic:C=1"):
        one = SetClassifier(method).fit(X, y)
        scores, probabilities = one.decision_function(X), one.predict_proba(X)[:, 1]
        order = np.argsort(scores)
        assert (np.diff(probabilities[order]) >= -1e-12).all()


def test_fit_transform_is_fit_and_transform(data):
    for estimator in SETS[1:]:
        np.testing.assert_allclose(clone(estimator).fit_transform(*data), clone(estimator).fit(*data).transform(data[0]), rtol=1e-9, atol=1e-9)
