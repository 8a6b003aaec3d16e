"""The lab: methods of others as estimators, and sweeps as tables."""

from __future__ import annotations

import _thread
import inspect
import pathlib
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import dppl
from dppl import _core, lab

BASELINES = [getattr(lab, name) for name in lab.__all__ if inspect.isclass(getattr(lab, name))]
NAMES = [baseline.__name__ for baseline in BASELINES]


def made(baseline: Any, task: Any, **parameters: Any) -> Any:
    known = inspect.signature(baseline).parameters
    if "rho" in known:
        parameters.setdefault("rho", 5)
    if "pool" in known:
        parameters.setdefault("pool", task.pool)
    if "dim" in known:
        parameters.setdefault("dim", 8)
    return baseline(**parameters)


def test_every_baseline_of_the_library_is_a_class() -> None:
    assert len(BASELINES) == len(_core.baselines()) >= 14
    assert {"DPSGD", "DPLS", "DPFC", "DPNewton", "NearestNeighbour", "ProjectionPublic"} <= set(NAMES)


@pytest.mark.parametrize("baseline", BASELINES, ids=NAMES)
class TestBaseline:
    def test_fits_once_and_predicts_any_rows(self, baseline: Any, task: Any) -> None:
        model = made(baseline, task)
        with pytest.raises(NotFittedError):
            model.predict(task.test_X)
        assert model.fit(task.X, task.y) is model
        assert model.score(task.test_X, task.test_y) > 0.8
        predicted = model.predict(task.test_X)
        np.testing.assert_array_equal(model.predict(1000 * task.test_X.astype(np.float64)), predicted)
        np.testing.assert_array_equal(model.predict(task.test_X[5:6]), predicted[5:6])
        assert model.n_features_in_ == task.X.shape[1]
        assert model.rho_spent_ == pytest.approx(model.rho if hasattr(model, "rho") else 0)

    def test_is_repeated_by_its_seed_its_clone_and_its_pickle(self, baseline: Any, task: Any) -> None:
        names = np.array(["cat", "dog", "owl"])
        model = made(baseline, task, seed=3).fit(task.X, names[task.y])
        assert model.classes_.tolist() == ["cat", "dog", "owl"]
        predicted = model.predict(task.test_X)
        twin = clone(model)
        with pytest.raises(NotFittedError):
            twin.predict(task.test_X)
        np.testing.assert_array_equal(twin.fit(task.X, names[task.y]).predict(task.test_X), predicted)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(task.test_X), predicted)
        assert again.get_params().keys() == inspect.signature(baseline).parameters.keys()

    def test_takes_the_settings_that_the_library_knows(self, baseline: Any, task: Any) -> None:
        for name, value in baseline().get_params().items():
            if name not in ("rho", "pool", "seed", "threads"):
                with pytest.raises(ValueError, match=name.rstrip("_")):
                    made(baseline, task).set_params(**{name: -2}).fit(task.X, task.y)

    def test_refuses_what_does_not_fit(self, baseline: Any, task: Any) -> None:
        model = made(baseline, task)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(task.X, task.y[1:])
        assert not hasattr(model, "classes_")
        model.fit(task.X, task.y)
        with pytest.raises(ValueError, match="expecting 32 features"):
            model.predict(task.test_X[:, 1:])
        bad = task.test_X.copy()
        bad[3, 3] = np.nan
        with pytest.raises(ValueError, match="NaN or infinity"):
            model.predict(bad)


def test_noise_counts(task: Any) -> None:
    for baseline in BASELINES:
        if "rho" in inspect.signature(baseline).parameters:
            assert made(baseline, task, rho=1e-7).fit(task.X, task.y).score(task.test_X, task.test_y) < 0.75, baseline
            assert made(baseline, task, rho=None).fit(task.X, task.y).rho_spent_ == 0


def test_comparison_in_ten_lines(task: Any) -> None:
    models = {
        "DP-SGD": lab.DPSGD(rho=0.1, seed=1),
        "DP-LS": lab.DPLS(rho=0.1, seed=1),
        "no privacy": lab.LogisticRegression(),
        "ours": dppl.PrototypeClassifier(rho=0.1, classes=3, pool=task.pool, seed=1),
    }
    accuracy = {name: model.fit(task.X, task.y).score(task.test_X, task.test_y) for name, model in models.items()}
    assert accuracy["no privacy"] > 0.9 and accuracy["ours"] > 0.9
    assert min(accuracy.values()) > 0.4


def test_a_pool_is_a_matrix_a_file_or_a_pool(task: Any, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "pool.npy", task.pool)
    predictions = [
        lab.ProjectionPublic(rho=5, dim=8, pool=pool).fit(task.X, task.y).predict(task.test_X)
        for pool in (task.pool, dppl.Pool(task.pool), tmp_path / "pool.npy", dppl.Pool(tmp_path / "pool.npy"))
    ]
    for predicted in predictions[1:]:
        np.testing.assert_array_equal(predicted, predictions[0])
    with pytest.raises(ValueError, match="needs rows of a public pool"):
        lab.ProjectionPublic(rho=5, dim=8).fit(task.X, task.y)


def test_a_search_over_a_baseline(task: Any) -> None:
    search = GridSearchCV(lab.DPSGD(), {"rho": [1e-7, 10], "steps": [5, 20]}, cv=2).fit(task.X, task.y)
    assert search.best_params_["rho"] == 10
    assert search.score(task.test_X, task.test_y) > 0.8


def test_predicting_is_much_faster_than_training(task: Any) -> None:
    model = lab.DPSGD(rho=5, steps=3000)
    begin = time.perf_counter()
    model.fit(task.X, task.y)
    trained = time.perf_counter()
    for _ in range(5):
        model.predict(task.test_X)
    assert time.perf_counter() - trained < trained - begin


def interrupt_after(seconds: float) -> None:
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()


def test_training_is_interrupted_between_steps(task: Any) -> None:
    model = lab.DPSGD(rho=5, steps=1_000_000)
    interrupt_after(0.3)
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        model.fit(task.X, task.y)
    assert time.perf_counter() - begin < 30
    assert not hasattr(model, "classes_")


# ---- Sweeps

PLAN = """
title = "A small one"
rho = [0.01, 1]
seeds = {seeds}
[[data]]
name = "three clouds"
encoder = "none"
train = "x.npy"
train-labels = "y.npy"
test = "test-x.npy"
test-labels = "test-y.npy"
classes = 3
pool = "public"
[[pool]]
name = "public"
file = "pool.npy"
[[method]]
name = "mean"
[[method]]
name = "DP-SGD"
kind = "dp-sgd"
settings.steps = {steps}
[[method]]
name = "ridge"
"""


def write_plan(directory: pathlib.Path, task: Any, seeds: int = 2, steps: int = 5) -> pathlib.Path:
    arrays = {"x": task.X, "y": task.y, "test-x": task.test_X, "test-y": task.test_y, "pool": task.pool}
    for name, array in arrays.items():
        np.save(directory / f"{name}.npy", array)
    (directory / "plan.toml").write_text(PLAN.format(seeds=seeds, steps=steps))
    return directory / "plan.toml"


def test_a_sweep_is_a_frame(task: Any, tmp_path: pathlib.Path, program: Any) -> None:
    plan = write_plan(tmp_path, task)
    frame = lab.sweep(plan, tmp_path / "out")
    assert len(frame) == 10  # two methods at two budgets and one without, twice
    assert set(frame["status"]) == {"ok"}
    assert frame[frame["method"] == "ridge"]["rho"].isna().all()
    assert frame.groupby("method")["accuracy"].mean()["ridge"] > 0.9
    assert (tmp_path / "out" / "report.html").stat().st_size > 1000
    for path in (tmp_path / "out", tmp_path / "out" / "results.csv"):
        assert lab.read_results(path).equals(frame)
    program("sweep", str(plan), "-o", str(tmp_path / "by-program"))
    same = lab.read_results(tmp_path / "by-program").drop(columns="seconds")
    assert same.equals(frame.drop(columns="seconds"))
    again = lab.sweep(plan, tmp_path / "out")  # nothing is left to run
    assert again.equals(frame)


def test_data_as_they_come_have_no_ratio(task: Any, tmp_path: pathlib.Path) -> None:
    plan = write_plan(tmp_path, task)
    plan.write_text(plan.read_text().replace("classes = 3", "classes = 3\nlong-tail = false"))
    frame = lab.sweep(plan, tmp_path / "out")
    assert frame["ratio"].isna().all()
    assert (frame["train_rows"] == len(task.y)).all()


def test_mistakes_in_plans_are_errors(task: Any, tmp_path: pathlib.Path) -> None:
    plan = write_plan(tmp_path, task)
    plan.write_text(plan.read_text().replace("settings.steps", "settings.stpes"))
    with pytest.raises(ValueError, match="plan.toml.*stpes"):
        lab.sweep(plan, tmp_path / "out")
    with pytest.raises(OSError, match="missing.toml"):
        lab.sweep(tmp_path / "missing.toml", tmp_path / "out")


def test_an_interrupted_sweep_goes_on(task: Any, tmp_path: pathlib.Path) -> None:
    plan = write_plan(tmp_path, task, seeds=8, steps=1500)
    runs = tmp_path / "out" / "runs.jsonl"

    def interrupt_after_some_runs() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (runs.exists() and runs.read_text().count("\n") >= 3):
            time.sleep(0.002)
        _thread.interrupt_main()

    watcher = threading.Thread(target=interrupt_after_some_runs, daemon=True)
    watcher.start()
    with pytest.raises(KeyboardInterrupt, match="goes on"):
        lab.sweep(plan, tmp_path / "out", threads=1)
    watcher.join()
    finished = runs.read_text()
    assert not (tmp_path / "out" / "results.csv").exists()
    frame = lab.sweep(plan, tmp_path / "out")
    assert len(frame) == 2 * 2 * 8 + 8
    assert runs.read_text().startswith(finished)
    assert lab.sweep(plan, tmp_path / "fresh").drop(columns="seconds").equals(frame.drop(columns="seconds"))
