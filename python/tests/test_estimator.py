"""The contract of scikit-learn's estimators, and what privacy changes about it."""

from __future__ import annotations

import fractions
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import dppl
from dppl._estimator import CONTRADICTED_CHECKS


def fitted(task: Any, **more: Any) -> dppl.PrototypeClassifier:
    return dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1, **more).fit(task.X, task.y)


@pytest.mark.parametrize("method", ["auto", "mean"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(method: str) -> None:
    estimator = dppl.PrototypeClassifier(method, rho=1000, seed=1)
    if "expected_failed_checks" in check_estimator.__code__.co_varnames:  # from scikit-learn 1.6 on
        check_estimator(estimator, expected_failed_checks=CONTRADICTED_CHECKS)
    else:
        check_estimator(estimator)


def test_only_what_cannot_hold_is_left_out_of_the_checks() -> None:
    failed = set()
    for estimator, check in check_estimator(dppl.PrototypeClassifier("mean", rho=1000, seed=1), generate_only=True):
        name = getattr(check, "func", check).__name__
        if name in CONTRADICTED_CHECKS:
            with pytest.raises((ValueError, AssertionError), match="no direction|get_params"):
                check(estimator)
            failed.add(name)
    assert failed == set(CONTRADICTED_CHECKS)


def test_classes_are_declared(task: Any) -> None:
    with pytest.raises(ValueError, match="declare the classes"):
        dppl.PrototypeClassifier("mean", rho=1).fit(task.X, task.y)
    with pytest.raises(ValueError, match="not among the declared classes") as refused:
        dppl.PrototypeClassifier("mean", rho=1, classes=2, seed=1).fit(task.X, task.y)
    assert "2" not in str(refused.value)
    for other in (["a", "b", "c"], [b"a", b"b", b"c"]):
        with pytest.raises(ValueError, match="not among the declared classes"):
            dppl.PrototypeClassifier("mean", rho=1, classes=other, seed=1).fit(task.X, task.y)
    model = dppl.PrototypeClassifier("mean", rho=1, classes=["a", "b", "c", "never seen"], seed=1)
    assert model.fit(task.X, np.array(["a", "b", "c"])[task.y]).predict_proba(task.X).shape == (600, 4)
    for wrong in (0, [], ["a", "a"], [["a"]]):
        with pytest.raises(ValueError, match="classes"):
            dppl.PrototypeClassifier("mean", rho=1, classes=wrong).fit(task.X, task.y)


def test_labels_of_any_kind(task: Any) -> None:
    reference = fitted(task).predict(task.test_X)
    for classes in (["x", "y", "z"], [10, 20, 30], [-1, 0, 1], np.array([b"p", b"q", b"r"]).astype(str)):
        labels = np.asarray(classes)
        model = dppl.PrototypeClassifier("mean", rho=0.1, classes=classes, seed=1).fit(task.X, labels[task.y])
        np.testing.assert_array_equal(model.predict(task.test_X), labels[reference])
        assert model.score(task.test_X, labels[task.test_y]) > 0.9
    backwards = dppl.PrototypeClassifier("mean", rho=0.1, classes=[2, 1, 0], seed=1).fit(task.X, task.y)
    assert backwards.classes_.tolist() == [2, 1, 0] and backwards.score(task.test_X, task.test_y) > 0.9


def test_two_classes_have_one_score(task: Any) -> None:
    two = task.y < 2
    model = dppl.PrototypeClassifier("mean", rho=1, classes=2, seed=1).fit(task.X[two], task.y[two])
    scores = model.decision_function(task.test_X)
    assert scores.shape == (300,)
    np.testing.assert_array_equal(model.predict(task.test_X), (scores > 0).astype(int))


def test_a_budget_is_in_one_notion_and_exact(task: Any) -> None:
    for budget in ({}, {"delta": 1e-5}, {"rho": 1, "epsilon": 1}, {"rho": 1, "delta": 1e-5}):
        with pytest.raises(ValueError, match="budget"):
            dppl.PrototypeClassifier("mean", classes=3, **budget).fit(task.X, task.y)
    with pytest.raises(ValueError, match="pure"):
        dppl.PrototypeClassifier("mean", epsilon=1, classes=3, seed=1).fit(task.X, task.y)
    for nothing in (0, -1, float("nan"), float("inf"), "much"):
        with pytest.raises(ValueError, match="rho"):
            dppl.PrototypeClassifier("mean", rho=nothing, classes=3, seed=1).fit(task.X, task.y)
    with pytest.raises(TypeError, match="rho"):
        dppl.PrototypeClassifier("mean", rho=True, classes=3, seed=1).fit(task.X, task.y)
    for tenth in (0.1, "0.1", fractions.Fraction(1, 10), np.float64(0.1), np.float32(0.1)):
        model = dppl.PrototypeClassifier("mean", rho=tenth, classes=3, seed=1).fit(task.X, task.y)
        assert model.guarantee_.exact["rho"] == fractions.Fraction(1, 10)


def test_settings_are_refused_in_our_words(task: Any) -> None:
    def refused(words: str, **settings: Any) -> None:
        with pytest.raises(ValueError, match=words):
            dppl.PrototypeClassifier(rho=1, classes=3, seed=1, pool=task.pool, **settings).fit(task.X, task.y)

    refused("k: is what method auto chooses", k=3)
    refused("k: not a setting of 'mean'", method="mean", k=3)
    refused("'nearest' is not known", method="nearest")
    refused("tau: .*goes with refine-steps|refine-steps", method="mean", tau=0.1)
    refused("clip-min", method="public", clip_min=1.5, clip_max=1)


def test_a_fit_without_a_seed_is_private_and_random(task: Any) -> None:
    with pytest.warns(dppl.NoLedgerWarning):
        one = dppl.PrototypeClassifier("mean", rho=0.1, classes=3).fit(task.X, task.y)
    with pytest.warns(dppl.NoLedgerWarning):
        other = clone(one).fit(task.X, task.y)
    assert one.guarantee_.is_private and not fitted(task).guarantee_.is_private
    assert (one.prototypes_ != other.prototypes_).any()


def test_searches_are_refused_unless_nothing_is_private(task: Any) -> None:
    private = dppl.PrototypeClassifier("mean", rho=0.1, classes=3)
    grid = {"rho": [0.1, 1]}
    for search in (GridSearchCV(private, grid, error_score="raise"), GridSearchCV(make_pipeline(FunctionTransformer(), private), {"prototypeclassifier__rho": [1]}, error_score="raise")):
        with pytest.raises(ValueError, match="each fit spends the budget again"):
            search.fit(task.X, task.y)
    with pytest.raises(ValueError, match="each fit spends"):
        GridSearchCV(private, grid, n_jobs=2, error_score="raise").fit(task.X, task.y)
    with pytest.raises(ValueError, match="each fit spends"):
        cross_val_score(private, task.X, task.y, error_score="raise")
    assert GridSearchCV(clone(private).set_params(seed=1), grid).fit(task.X, task.y).best_score_ > 0.9


def test_pipelines_and_meta_estimators(task: Any) -> None:
    pipeline = make_pipeline(FunctionTransformer(), dppl.PrototypeClassifier("mean", rho=1, classes=3, seed=1))
    assert pipeline.fit(task.X, task.y).score(task.test_X, task.test_y) > 0.9
    calibrated = CalibratedClassifierCV(fitted(task), cv="prefit").fit(task.X, task.y)
    assert calibrated.score(task.test_X, task.test_y) > 0.9


def test_parameters() -> None:
    model = dppl.PrototypeClassifier(rho=1, classes=3, pool="pool.npy")
    parameters = model.get_params()
    assert parameters["method"] == "auto" and parameters["refine_steps"] is None
    assert clone(model).get_params() == parameters
    assert model.set_params(rho=2).rho == 2
    with pytest.raises(ValueError, match="nothing"):
        model.set_params(nothing=1)
    with pytest.raises(TypeError):
        dppl.PrototypeClassifier("mean", 1.0)  # type: ignore[misc]
    for name in parameters:
        assert f"    {name} : " in (dppl.PrototypeClassifier.__doc__ or "")


def test_not_fitted(task: Any) -> None:
    model = dppl.PrototypeClassifier("mean", rho=1, classes=3)
    for use in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            use(task.X)
    with pytest.raises(NotFittedError):
        model.save("nowhere.dppl")
    assert not hasattr(model, "prototypes_") and not hasattr(model, "guarantee_")


def test_prototypes(task: Any) -> None:
    public = dppl.PrototypeClassifier("public-k", rho=1, classes=3, k=4, pool=task.pool, seed=1).fit(task.X, task.y)
    assert public.prototypes_.shape == (3, 4, 32)
    rows = public.prototype_rows_
    assert rows is not None and rows.shape == (3, 4)
    lengths = np.linalg.norm(task.pool, axis=1, keepdims=True)
    np.testing.assert_allclose(public.prototypes_, (task.pool / lengths)[rows], atol=1e-6)
    assert fitted(task).prototype_rows_ is None


# ---- Ledgers

def test_a_ledger_is_charged(task: Any, tmp_path: Any) -> None:
    ledger = dppl.Ledger.create(tmp_path / "l", "scans", rho=0.25)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, ledger=ledger, dataset="scans").fit(task.X, task.y)
    assert ledger.status("scans")["spent"] == {"rho": 0.1}
    kinds = [entry["kind"] for entry in ledger.entries()]
    assert kinds == ["dataset", "reserve", "record"]
    assert ledger.entries()[2]["model_digest"] == model.model_.digest
    assert dppl.inspect(model)["ledger_entry"] == ledger.entries()[1]["digest"]
    by_path = clone(model).set_params(ledger=str(tmp_path / "l")).fit(task.X, task.y)
    assert by_path.guarantee_.is_private
    with pytest.raises(dppl.BudgetExceeded, match="scans"):
        clone(model).fit(task.X, task.y)
    assert ledger.status("scans")["spent"] == {"rho": 0.2}
    # With no budget left every answer is the same: nothing private is looked at.
    for rows, labels in ((task.X, task.y + 1), (task.X[:, :0], task.y), (np.full_like(task.X, np.nan), task.y[:5])):
        with pytest.raises(dppl.BudgetExceeded):
            clone(model).fit(rows, labels)
    # What is refused costs nothing.
    bad = task.X.copy()
    bad[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(model).set_params(rho=0.01).fit(bad, task.y)
    with pytest.raises(ValueError, match="not among"):
        clone(model).set_params(rho=0.01).fit(task.X, task.y + 1)
    assert ledger.status("scans")["spent"] == {"rho": 0.2} and ledger.verify()["whole"]
    for wrong in ({"dataset": None}, {"ledger": None}):
        with pytest.raises(ValueError, match="goes with"):
            clone(model).set_params(**wrong).fit(task.X, task.y)
    with pytest.raises(OSError):
        clone(model).set_params(ledger=str(tmp_path / "none")).fit(task.X, task.y)


def test_a_ledger_for_people_wants_people(task: Any, tmp_path: Any) -> None:
    ledger = dppl.Ledger.create(tmp_path / "l", "scans", rho=1, unit="person")
    model = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, ledger=ledger, dataset="scans")
    with pytest.raises(ValueError, match="for people"):
        clone(model).fit(task.X, task.y)
    assert clone(model).fit(task.X, task.y, people=task.people).guarantee_.relation == "add-remove-person"
    named = np.char.add("patient ", task.people.astype(str))
    assert clone(model).set_params(people=named).fit(task.X, task.y).guarantee_.relation == "add-remove-person"


# ---- What is private stays private

def test_nothing_private_is_printed_or_pickled(task: Any, tmp_path: Any) -> None:
    ledger = dppl.Ledger.create(tmp_path / "l", "scans", rho=1, unit="person")
    people = np.array([f"Jane Doe {i}" for i in range(600)])
    model = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, people=people, ledger=ledger, dataset="scans").fit(task.X, task.y)
    for shown in (repr(model), str(make_pipeline(model)), model._repr_html_(), repr(model.model_), repr(model.guarantee_)):
        assert "Jane" not in shown
    pickled = pickle.dumps(model)
    assert b"Jane" not in pickled and str(tmp_path).encode() not in pickled
    again = pickle.loads(pickled)
    np.testing.assert_array_equal(again.predict(task.test_X), model.predict(task.test_X))
    assert again.guarantee_ == model.guarantee_ and again.model_.to_bytes() == model.model_.to_bytes()
    for left_out in ("people", "ledger"):
        with pytest.raises(ValueError, match=f"{left_out}: was left out"):
            again.fit(task.X, task.y)
        again.set_params(**{left_out: None})
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(ledger)


def test_errors_tell_no_record_unless_asked(task: Any) -> None:
    bad = task.X.copy()
    bad[123, 7] = np.inf
    with pytest.raises(ValueError) as refused:
        fitted(type("Bad", (), {"X": bad, "y": task.y}))
    assert "123" not in str(refused.value)
    with dppl.show_private_errors(), pytest.raises(ValueError, match="123"):
        fitted(type("Bad", (), {"X": bad, "y": task.y}))
    with pytest.raises(ValueError) as refused:
        fitted(type("Bad", (), {"X": bad, "y": task.y}))
    assert "123" not in str(refused.value)


# ---- Long work

INTERRUPTED = """
import sys, threading, time, os, signal
import numpy as np, dppl
random = np.random.default_rng(0)
X, y, pool = random.normal(size=(4000, 64)).astype("f4"), random.integers(20, size=4000), random.normal(size=(300000, 64)).astype("f4")
ledger = dppl.Ledger.create(sys.argv[1], "scans", epsilon=10)
model = dppl.PrototypeClassifier("public", epsilon=1, classes=20, pool=pool, ledger=ledger, dataset="scans", clip_min=1)
def press():
    while len(ledger.entries()) < 2: time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    model.fit(X, y)
except KeyboardInterrupt as interrupted:
    print("interrupted:", interrupted)
print("spent:", ledger.status("scans")["spent"], "fitted:", hasattr(model, "model_"))
"""


def test_ctrl_c_says_what_stays_reserved(tmp_path: Any) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(tmp_path / "l")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    said, spent = done.stdout.strip().split("\n")
    assert "stays reserved for scans" in said and "no model was made" in said or "is kept" in said, said
    assert "'epsilon': 1.0" in spent and ("fitted: True" in spent) == ("is kept" in said)


def test_the_interpreter_goes_on_during_long_work(task: Any) -> None:
    import threading

    random = np.random.default_rng(0)
    pool = random.normal(size=(200_000, 64)).astype(np.float32)
    model = dppl.PrototypeClassifier("public", epsilon=1, classes=10, pool=pool, seed=1, threads=1)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    model.fit(random.normal(size=(2000, 64)).astype(np.float32), random.integers(10, size=2000))
    done.set()
    thread.join()
    assert len(ticks) > 3


def test_progress(task: Any, capsys: Any) -> None:
    fitted(task, verbose=True)
    assert "fit" in capsys.readouterr().err
