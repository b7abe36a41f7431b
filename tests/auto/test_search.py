"""The choice of kernel, model and parameters, on Gram matrices."""

import numpy as np
import pytest
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from mercer.auto import AutoClassifier
from mercer.auto import candidates as candidates_module
from mercer.auto.candidates import WIDTHS, Proposal, proposals
from mercer.auto.decisions import decision_scores
from mercer.auto.models import DEFAULTS, MODELS, kernel_scale, models_of
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import make_folds
from mercer.auto.scoring import Judge
from mercer.auto.search import UNIFORM_SUM, WEIGHTED_SUM, Search
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.trials import Trial, choose
from mercer.data import Graphs
from mercer.kernels import RBF, Columns, Constant, Kernel, Linear
from mercer.model_selection import alignment_weights, centered_alignment
from mercer.operators import PrecomputedOperator
from mercer.ridge import KernelRidge, KernelRidgeClassifier


def searched(task, X, y, found, models=("ridge",), folds=3, n_jobs=1, run=None, **options):
    parts = make_folds(y, folds, classes=task == "classification")
    chosen = [MODELS[task][name] for name in models]
    search = Search(task, X, y, parts, chosen, n_jobs=n_jobs, random_state=0, **options)
    return search.run(found, **(run or {})), search, parts


@pytest.fixture
def additive(rng):
    X = rng.normal(size=(90, 3))
    return X, X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=90)


FOUND = [Proposal("first", (Columns(0, Linear()),)), Proposal("second", (Columns(1, RBF(gamma=2.0)),))]


def test_candidates_tell_what_each_contributed(additive):
    X, y = additive
    candidates, _, _ = searched("regression", X, y, FOUND)
    assert [candidate.name for candidate in candidates] == ["first", "second", WEIGHTED_SUM]
    weights = alignment_weights([proposal.forms[0] for proposal in FOUND], X, y)
    for candidate, proposal, weight in zip(candidates, FOUND, weights, strict=False):
        assert candidate.weight == pytest.approx(weight)
        assert candidate.alignment == pytest.approx(centered_alignment(proposal.forms[0], X, y))
    total = candidates[-1]
    assert total.weight is None
    assert total.alignment == pytest.approx(centered_alignment(total.kernel, X, y), abs=1e-6)
    assert total.alignment > max(candidate.alignment for candidate in candidates[:-1])
    assert total.chosen
    assert total.score > max(candidate.score for candidate in candidates[:-1]) + 0.1


def test_scores_are_those_of_the_models_themselves(additive):
    X, y = additive
    candidates, _, parts = searched("regression", X, y, FOUND[:1])
    (candidate,) = candidates
    model = KernelRidge(kernel=candidate.kernel, fit_intercept=True, **candidate.params)
    scores = [r2_score(y[test], model.fit(X[train], y[train]).predict(X[test])) for train, test in parts]
    assert candidate.score == pytest.approx(np.mean(scores))
    assert candidate.spread == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3))
    assert candidate.weight == 1
    assert candidate.chosen


def test_the_sum_is_scored_with_weights_of_the_training_parts(additive):
    X, y = additive
    candidates, _, parts = searched("regression", X, y, FOUND)
    kernels = [proposal.forms[0] for proposal in FOUND]
    scores = []
    for train, test in parts:
        weights = alignment_weights(kernels, X[train], y[train])
        total = weights[0] * kernels[0] + weights[1] * kernels[1]
        model = KernelRidge(kernel=total, fit_intercept=True, **candidates[-1].params).fit(X[train], y[train])
        scores.append(r2_score(y[test], model.predict(X[test])))
    assert candidates[-1].score == pytest.approx(np.mean(scores), abs=1e-9)


def test_the_uniform_sum_has_the_best_of_each_group(additive):
    X, y = additive
    found = [
        Proposal("a", (10 * Columns(0, Linear()),), group="first"),
        Proposal("b", (Columns(0, RBF(gamma=1e3)),), group="first"),
        Proposal("c", (Columns(1, RBF(gamma=2.0)),), group="second"),
        Proposal("d", (Linear(),)),
    ]
    candidates, _, _ = searched("regression", X, y, found)
    total = candidates[-1]
    assert total.name == UNIFORM_SUM
    assert total.weight is None
    variances = [np.trace(K) / len(K) - K.mean() for K in (found[0].forms[0](X), found[2].forms[0](X))]
    assert [term.kernel.columns for term in total.kernel.terms] == [(0,), (1,)]
    scales = [term.scale for term in total.kernel.terms]
    assert scales[0] / scales[1] == pytest.approx(10 * variances[1] / variances[0], rel=1e-3)
    assert total.alignment == pytest.approx(centered_alignment(total.kernel, X, y), abs=1e-6)


def test_alignment_decides_between_forms(additive):
    X, _ = additive
    y = np.sin(3 * X[:, 1])
    forms = tuple(Columns(1, RBF(gamma=gamma)) for gamma in (1e-4, 4.0, 1e4))
    (candidate,), _, _ = searched("regression", X, y, [Proposal("rbf", forms)])
    assert candidate.kernel == max(forms, key=lambda form: centered_alignment(form, X, y))


def test_a_finer_kernel_is_a_candidate_of_its_own(additive):
    X, y = additive
    forms = (RBF(gamma=0.1), RBF(gamma=0.2))
    finer = ((RBF(gamma=1.0),), (RBF(gamma=2.0),))
    candidates, _, _ = searched("regression", X, y, [Proposal("rbf", forms, finer)])
    assert [candidate.name for candidate in candidates[:2]] == ["rbf", "finer rbf"]
    assert candidates[1].kernel == finer[forms.index(candidates[0].kernel)][0]


def test_finer_kernels_are_tried_as_long_as_they_get_better(additive):
    X, _ = additive
    y = np.sin(4 * X[:, 1])
    ladder = tuple(Columns(1, RBF(gamma=gamma)) for gamma in (1.0, 4.0, 1e5))
    proposal = Proposal("rbf", (Columns(1, RBF(gamma=0.01)),), (ladder[:2],))
    candidates, _, _ = searched("regression", X, y, [proposal])
    assert [c.name for c in candidates if c.weight is not None] == ["rbf", "finer rbf", "finest rbf"]
    worse = Proposal("rbf", (Columns(1, RBF(gamma=4.0)),), (ladder[2:] + ladder[:1],))
    candidates, _, _ = searched("regression", X, y, [worse])
    assert [c.name for c in candidates if c.weight is not None] == ["rbf", "finer rbf"]


def test_constant_kernels_are_left_out_and_told(additive):
    X, y = additive
    candidates, search, _ = searched("regression", X, y, [Proposal("constant", (Constant(2.0),)), *FOUND[:1]])
    assert [candidate.name for candidate in candidates] == ["first"]
    assert search.notes == ["constant: left out, since the kernel is constant on these samples."]
    with pytest.raises(ValueError, match="All kernels are constant on these 90 samples"):
        searched("regression", X, y, [Proposal("constant", (Constant(2.0),))])


def test_no_sum_of_one(additive):
    X, _ = additive
    found = [Proposal("first", (Columns(0, Linear()),)), Proposal("second", (2 * Columns(0, Linear()),))]
    y = X[:, 0] + X[:, 2]
    candidates, search, _ = searched("regression", X, y, [*found[:1], Proposal("noise", (-1 * Linear(),))])
    assert [candidate.name for candidate in candidates] == ["first", "noise"]
    assert candidates[1].weight == 0
    assert "only one kernel has a nonzero weight" in search.notes[0]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_model_fits_and_predicts(task, additive):
    X, y = additive
    y = np.where(y > 0, "yes", "no") if task == "classification" else y
    for name in MODELS[task]:
        (candidate,), _, _ = searched(task, X, y, [Proposal("rbf", (RBF(gamma=0.5),))], models=[name])
        assert candidate.model == name
        assert candidate.score > (0.7 if task == "classification" else 0.2)
        assert candidate.params


def test_grids_follow_the_scale_of_the_kernel_and_of_the_target(additive):
    X, y = additive
    for task, models in DEFAULTS.items():
        for name in models:
            target = np.where(y > 0, 1, 0) if task == "classification" else y
            (plain,), _, _ = searched(task, X, target, [Proposal("x", (RBF(gamma=0.5),))], models=[name])
            (large,), _, _ = searched(task, X, target, [Proposal("x", (1000 * RBF(gamma=0.5),))], models=[name])
            assert large.score == pytest.approx(plain.score, abs=2e-3)
    (plain,), _, _ = searched("regression", X, y, [Proposal("x", (RBF(gamma=0.5),))], models=["svm"])
    (large,), _, _ = searched("regression", X, 1e4 * y, [Proposal("x", (RBF(gamma=0.5),))], models=["svm"])
    assert large.score == pytest.approx(plain.score, abs=1e-3)


def test_kernel_scale():
    assert kernel_scale(PrecomputedOperator(np.ones((4, 4)))) == 1
    assert kernel_scale(PrecomputedOperator(3e-5 * np.eye(100))) == 1e-5
    assert kernel_scale(PrecomputedOperator(4e5 * np.eye(100))) == 1e6


def test_threads_change_nothing(additive, monkeypatch):
    X, y = additive
    one, _, _ = searched("regression", X, y, FOUND)
    monkeypatch.setattr("mercer.auto.trials.SMALL", 10)
    several, _, _ = searched("regression", X, y, FOUND, n_jobs=3)
    assert several == one


def test_auto_keeps_to_one_model_on_many_samples():
    assert [model.name for model in models_of("classification", "auto", 100, several=2000)[0]] == ["svm", "ridge"]
    models, note = models_of("regression", "auto", 3000, several=2000)
    assert [model.name for model in models] == ["ridge"]
    assert "more than 2000 samples" in note
    assert models_of("classification", "lda", 3000, several=2000)[1] == ""


@pytest.mark.parametrize(
    ("scores", "parts", "chosen"),
    [
        ([[0.8, 0.8], [0.9, 0.9]], [1, 2], 1),  # clearly better
        ([[0.8, 0.9], [0.9, 0.9]], [1, 2], 0),  # behind by one standard error of the difference
        ([[0.8, 0.9], [0.9, 0.9]], [1, 1], 1),  # no simpler one
        ([[0.9, 0.9], [0.9, 0.9], [0.9, 0.9]], [1, 1, 2], 0),
        ([[0.7, 0.9], [0.8, 0.9], [0.9, 0.9]], [1, 1, 3], 1),  # the better of the simple ones
    ],
)
def test_ties_go_to_the_simpler_one(scores, parts, chosen):
    assert choose([Trial("svm", {}, np.array(s)) for s in scores], parts) == chosen


# ---- scores


def rare(rng, n=600, positives=12):
    """Few positives, of which only the first of seven columns knows."""
    y = np.where(np.arange(n) < positives, 1, 0)
    X = rng.normal(size=(n, 7))
    X[:, 0] += 1.7 * y
    return X, y


@pytest.mark.parametrize("models", [("svm",), ("svm", "ridge"), ("logistic",), ("lda",)])
def test_rare_positives_are_ranked(rng, models):
    """With 2 % positives, accuracy prefers models that never predict the positive class, on any columns."""
    X, y = rare(rng)
    X_new, y_new = rare(rng, 2000, 100)
    noise = Proposal("noise", (Columns(tuple(range(1, 7)), RBF(gamma=0.2)),))
    informative = Proposal("own", (Columns(0, Linear()),))
    candidates, _, _ = searched("classification", X, y, [noise, informative], models)
    accuracy = {candidate.name: candidate.score for candidate in candidates}
    criterion = {candidate.name: candidate.criterion for candidate in candidates}
    if models == ("svm",):
        assert accuracy["own"] <= accuracy["noise"]  # the first of equals would be selected
    else:
        assert criterion["own"] > -0.09  # the frequencies of the classes have -0.098
    assert criterion["own"] > criterion["noise"]
    chosen = next(candidate for candidate in candidates if candidate.chosen)
    assert "noise" not in chosen.name
    model = MODELS["classification"][chosen.model].build(chosen.params, random_state=0, kernel=chosen.kernel).fit(X, y)
    assert roc_auc_score(y_new, model.decision_function(X_new)) > 0.85


def test_automatic_models_rank_rare_positives(rng):
    X, y = rare(rng)
    X_new, y_new = rare(rng, 2000, 100)
    model = AutoClassifier(simple=True, cv=3).fit(X, y)
    assert roc_auc_score(y_new, model.decision_function(X_new)) > 0.8


def test_criterion_is_the_log_loss_of_calibrated_out_of_fold_values(additive):
    X, y = additive
    y = np.where(y > 0.5, "yes", "no")
    (candidate,), _, parts = searched("classification", X, y, [Proposal("rbf", (RBF(gamma=0.5),))])
    model = KernelRidgeClassifier(kernel=candidate.kernel, **candidate.params)
    values, right = np.zeros(90), []
    for train, test in parts:
        values[test] = model.fit(X[train], y[train]).decision_function(X[test])
        right.append(np.mean(model.predict(X[test]) == y[test]))
    scores, labels = np.column_stack([-values, values]), (y == "yes").astype(int)
    P = Calibration.fit(scores, labels).probabilities(scores)
    assert candidate.criterion == pytest.approx(-np.mean([log_loss(y[test], P[test]) for _, test in parts]))
    assert candidate.score == pytest.approx(np.mean(right))
    assert candidate.spread == pytest.approx(np.std(right, ddof=1) / np.sqrt(3))


def test_other_scores_choose(additive):
    X, y = additive
    y = np.where(y > 0.5, "yes", "no")
    judge = Judge("classification", "roc_auc", ["no", "yes"])
    (candidate,), _, parts = searched("classification", X, y, [Proposal("rbf", (RBF(gamma=0.5),))], judge=judge)
    areas = []
    for params in MODELS["classification"]["ridge"].grid(60, 1.0, 1.0):
        model = KernelRidgeClassifier(kernel=candidate.kernel, **params)
        fits = [model.fit(X[train], y[train]).decision_function(X[test]) for train, test in parts]
        areas.append(np.mean([roc_auc_score(y[test], f) for f, (_, test) in zip(fits, parts, strict=True)]))
    assert candidate.criterion == pytest.approx(max(areas))
    X, y = additive
    judge = Judge("regression", "neg_mean_absolute_error", None)
    (candidate,), _, _ = searched("regression", X, y, FOUND[:1], judge=judge)
    (usual,), _, _ = searched("regression", X, y, FOUND[:1])
    assert -1 < candidate.criterion < 0 < candidate.score <= usual.score
    assert usual.criterion == usual.score


def test_scores_that_are_undefined_in_some_folds_or_all(rng):
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1], [20, 10])
    halves = [(np.r_[0:10, 20:25], np.r_[10:20, 25:30]), (np.r_[10:20, 25:30], np.r_[0:10])]  # the second has one class
    judge, models = Judge("classification", "roc_auc", [0, 1]), [MODELS["classification"]["ridge"]]
    found = [Proposal("rbf", (RBF(gamma=0.5),)), Proposal("linear", (Linear(),))]
    candidates = Search("classification", X, y, halves, models, n_jobs=1, random_state=0, judge=judge).run(found)
    assert all(0 <= candidate.criterion <= 1 for candidate in candidates)
    assert sum(candidate.chosen for candidate in candidates) == 1
    with pytest.raises(ValueError, match="'roc_auc' is undefined in all 1 inner folds"):
        Search("classification", X, y, halves[1:], models, n_jobs=1, random_state=0, judge=judge).run(found)


@pytest.mark.parametrize("order", ["predict", "predict_proba", "decision_function"])
def test_every_kind_of_classifier_has_scores(order):
    methods = ["predict", "predict_proba", "decision_function"]

    class Only:
        classes_ = np.array(["a", "c"])

    model = Only()
    answers = [np.array(["a", "c"]), np.array([[0.9, 0.1], [0.0, 1.0]]), np.array([-2.0, 3.0])]
    for method, answer in list(zip(methods, answers, strict=True))[: methods.index(order) + 1]:
        setattr(model, method, lambda X, answer=answer: answer)
    scores = decision_scores(model, None, np.array(["a", "b", "c"]))
    assert scores.argmax(axis=1).tolist() == [0, 2]
    np.testing.assert_array_equal(scores[:, 1], scores.min(axis=1))
    if order == "decision_function":
        np.testing.assert_array_equal(scores[:, 2], [-2.0, 3.0])
    elif order == "predict_proba":
        np.testing.assert_allclose(scores[:, 2], np.log([0.11, 1.01]))


# ---- weights, progress, time


@pytest.mark.parametrize("name", ["svm", "ridge", "logistic", "lda"])
def test_weights_are_repetitions(additive, name):
    X, y = additive
    y = np.where(y > 0, "yes", "no")
    times = 1 + np.arange(90) % 3
    parts, found = make_folds(y, 3, classes=True), [Proposal("rbf", (RBF(gamma=0.5),))]
    models = [MODELS["classification"][name]]
    weighted = Search(
        "classification", X, y, parts, models, n_jobs=1, random_state=0, sample_weight=times.astype(float)
    ).run(found)
    again = np.repeat(np.arange(90), times)
    positions = np.split(np.arange(len(again)), np.cumsum(times)[:-1])
    doubled = [tuple(np.concatenate([positions[i] for i in rows]) for rows in part) for part in parts]
    repeated = Search("classification", X[again], y[again], doubled, models, n_jobs=1, random_state=0).run(found)
    assert weighted[0].score == pytest.approx(repeated[0].score)
    assert weighted[0].criterion == pytest.approx(repeated[0].criterion, rel=0.02 if name == "lda" else 1e-3)
    plain, _, _ = searched("classification", X, y, found, [name])
    assert weighted[0].criterion != pytest.approx(plain[0].criterion, rel=1e-3)


def test_weighted_regression(additive):
    X, y = additive
    weight = np.random.default_rng(0).uniform(0.1, 3, 90)
    (candidate,), _, parts = searched("regression", X, y, FOUND[:1], sample_weight=weight)
    model = KernelRidge(kernel=candidate.kernel, fit_intercept=True, **candidate.params)
    scores = [
        r2_score(y[test], model.fit(X[train], y[train], weight[train]).predict(X[test]), sample_weight=weight[test])
        for train, test in parts
    ]
    assert candidate.score == candidate.criterion == pytest.approx(np.mean(scores))


def test_models_without_weights_are_named(additive):
    X, y = additive
    with pytest.raises(ValueError, match=r"the model 'knn' does not take them; use model= with one of 'ridge', 'svm'"):
        searched("regression", X, y, FOUND, ["knn"], sample_weight=np.ones(90))


def test_progress_of_a_search(additive):
    X, y = additive
    steps = []
    ladder = tuple(RBF(gamma=gamma) for gamma in (1e4, 1e5))
    found = [Proposal("rbf", (RBF(gamma=0.5),), (ladder,)), *FOUND]
    candidates, _, _ = searched("regression", X, y, found, run={"report": lambda *step: steps.append(step)})
    assert steps[:4] == [(0, 7, "rbf"), (1, 7, "finer rbf"), (3, 7, "first"), (4, 7, "second")]
    assert steps[-1] == (7, 7, "done")
    assert [text for _, _, text in steps[:-1]] == [candidate.name for candidate in candidates]


@pytest.mark.parametrize(
    ("moments", "tried"), [(0, ["first"]), (1, ["first", "second"]), (9, ["first", "second", WEIGHTED_SUM])]
)
def test_time_limit(additive, moments, tried):
    X, y = additive
    left = iter([1.0] * moments + [0.0] * 9)
    found = [Proposal("constant", (Constant(2.0),)), *FOUND]  # the first kernel that is not constant is always tried
    candidates, search, _ = searched("regression", X, y, found, run={"left": lambda: next(left)})
    assert [candidate.name for candidate in candidates] == tried
    assert sum(candidate.chosen for candidate in candidates) == 1
    if moments == 0:
        assert "The time limit was reached: 1 candidate was not tried (second)." in search.notes
    if moments == 1:
        assert f"The time limit was reached: 1 candidate was not tried ({WEIGHTED_SUM})." in search.notes


def test_ctrl_c_ends_folds_in_threads(additive, monkeypatch):
    X, y = additive
    monkeypatch.setattr("mercer.auto.trials.SMALL", 10)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mercer.auto.models.Model.fit_each", interrupted)
    with pytest.raises(KeyboardInterrupt):
        searched("regression", X, y, FOUND, n_jobs=3)


# ---- proposals


def names(X):
    preparer = TablePreparer().fit(X)
    found, notes = proposals(preparer.transform(X), preparer.kinds_)
    return {proposal.name: proposal for proposal in found}, notes


def test_proposals_for_each_kind():
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), 30)) for _ in range(30)]
    texts = [" ".join(rng.choice(["good", "bad", "tea", "cup"], 5)) + f" {i}" for i in range(30)]
    data = {
        "size": rng.normal(size=30),
        "colour": rng.choice(["red", "blue"], 30),
        "review": texts,
        "read": reads,
        "smiles": [f"{'C' * (1 + i % 7)}O" for i in range(30)],
        "tree": [f"(S (NP {i % 5}) (VP is))" for i in range(30)],
    }
    found, _ = names(data)
    assert list(found) == [
        "rbf of numbers",
        "linear of numbers",
        "overlap of categories",
        "numbers and categories jointly",
        "words of review",
        "character k-mers of review",
        "subsequences of review",
        "k-mers of read",
        "gapped k-mers of read",
        "positional k-mers of read",
        "subsequences of read",
        "Weisfeiler-Lehman of smiles",
        "Tanimoto of smiles",
        "shortest paths of smiles",
        "subset trees of tree",
        "partial trees of tree",
    ]
    table = TablePreparer().fit_transform(data)
    for proposal in found.values():
        for form in (*proposal.forms, *(kernel for ladder in proposal.finer for kernel in ladder)):
            assert form.definiteness.value == "psd"
            np.testing.assert_allclose(form(table).diagonal().mean(), 1, rtol=0.02)  # all of one size


def test_proposals_without_names(rng):
    found, _ = names(rng.normal(size=(20, 3)))
    assert list(found) == ["rbf", "linear"]
    assert [form.gamma for form in found["rbf"].forms] == pytest.approx([width / 3 for width in WIDTHS], rel=1e-2)
    assert all(isinstance(form, Kernel) for form in found["linear"].forms)


def test_sequences_of_unequal_length_have_no_positions():
    rng = np.random.default_rng(0)
    found, _ = names({"read": ["".join(rng.choice(list("ACGT"), 20 + i % 3)) for i in range(30)]})
    assert list(found) == ["k-mers of read", "gapped k-mers of read", "subsequences of read"]


def test_large_graphs_get_cheaper_kernels(monkeypatch):
    graphs = Graphs.from_edges([[0, 1], [2, 3]], [0, 0, 1, 1], node_attributes=np.eye(4))
    found, notes = names(graphs)
    assert notes == []
    assert "graph_hopper" in str(found["attributes of graphs"].forms[0])
    monkeypatch.setattr(candidates_module, "NODES", 1)
    monkeypatch.setattr(candidates_module, "HOPS", 1)
    found, notes = names(graphs)
    assert "shortest paths were left out, since graphs have 2 nodes" in notes[0]
    assert "propagation" in str(found["attributes of graphs"].forms[0])


def test_what_takes_too_long_is_left_out_and_told():
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), 100_000)) for _ in range(6)]
    found, notes = names({"read": reads})
    assert "subsequences of read" not in found
    assert "the subsequence kernel was left out" in notes[0]
