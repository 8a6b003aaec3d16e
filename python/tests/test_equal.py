"""The same inputs and seed give the command line's model file, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dppl

FITS = {
    "auto in rho": dict(method="auto", rho=0.1),
    "auto in epsilon": dict(method="auto", epsilon=1),
    "auto in epsilon and delta": dict(method="auto", epsilon=1, delta=1e-5),
    "auto, records declared": dict(method="auto", rho=0.02, records=600),
    "mean": dict(method="mean", rho=0.02),
    "mean, whitened": dict(method="mean", rho=0.02, public_transform="whiten:8"),
    "mean, averages": dict(method="mean", rho=0.02, public_transform="average:2+whiten:8:0.3"),
    "mean, shrunk": dict(method="mean", rho=0.02, public_transform="whiten:8", shrink=True, prior_variance=1.5),
    "mean with its centre": dict(method="mean", rho=0.02, public_transform="whiten:8", center_share=0.05),
    "mean with a second moment": dict(method="mean", rho=0.1, public_transform="whiten:8", metric_share=0.25),
    "mean with steps": dict(method="mean", rho=0.1, public_transform="whiten:8", shrink=True, refine_steps=5, refine_share=0.3),
    "public": dict(method="public", epsilon=0.5),
    "public, clipped": dict(method="public", epsilon=0.5, clip_min=1, clip_max=1.5),
    "public, threshold": dict(method="public", epsilon=0.5, threshold=1.5),
    "public, tuned": dict(method="public", epsilon=0.5, public_transform="auto"),
    "public, permute-and-flip": dict(method="public", epsilon=0.5, mechanism="permute-and-flip"),
    "public, laplace": dict(method="public", epsilon=0.5, mechanism="laplace"),
    "public-k": dict(method="public-k", rho=0.05, k=3),
}


def options(parameters: dict[str, Any]) -> list[str]:
    texts = []
    for name, value in parameters.items():
        flag = "--" + {"public_transform": "transform"}.get(name, name).replace("_", "-")
        texts += [flag, {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)]
    return texts


@pytest.mark.parametrize("people", [False, True], ids=["records", "people"])
@pytest.mark.parametrize("fit", FITS.values(), ids=FITS.keys())
def test_same_bytes(fit: dict[str, Any], people: bool, task: Any, program: Any) -> None:
    more = ["--people", program.file("p", task.people)] if people else []
    output = str(program.directory / "m.dppl")
    program("fit", *options(fit), *more, "--train", program.file("x", task.X), "--labels", program.file("y", task.y), "--classes", "3",
            "--pool", program.file("pool", task.pool), "--seed", "5", "--not-private", "-o", output)
    model = dppl.PrototypeClassifier(**fit, classes=3, pool=task.pool, seed=5, people=task.people if people else None)
    with open(output, "rb") as file:
        assert model.fit(task.X, task.y).model_.to_bytes() == file.read()


def test_same_bytes_with_names_examples_and_vectors(task: Any, program: Any) -> None:
    names = program.directory / "names.txt"
    names.write_text("benign\nmalignant\nunclear\n")
    output = str(program.directory / "m.dppl")
    program("fit", "--train", program.file("x", task.X.astype(np.float16)), "--labels", program.file("y", task.y), "--classes", str(names),
            "--pool", program.file("pool", task.pool), "--examples", program.file("e", task.test_X[:9]), "--example-labels",
            program.file("l", task.test_y[:9]), "--class-prior", program.file("c", task.centres), "--rho", "0.01", "--seed", "5", "--not-private",
            "-o", output)
    labels = np.array(["benign", "malignant", "unclear"])
    model = dppl.PrototypeClassifier(rho=0.01, classes=labels, pool=task.pool, examples=(task.test_X[:9], labels[task.test_y[:9]]),
                                     class_prior=task.centres, seed=5)
    model.fit(task.X.astype(np.float16), labels[task.y])
    with open(output, "rb") as file:
        assert model.model_.to_bytes() == file.read()
    assert set(model.predict(task.test_X)) <= set(labels)
    public = dppl.PrototypeClassifier("mean", classes=labels, class_prior=task.centres).fit_public_only()
    program("fit", "--public-only", "--method", "mean", "--classes", str(names), "--class-prior", program.file("c", task.centres), "-o", output)
    with open(output, "rb") as file:
        assert public.model_.to_bytes() == file.read()


def test_predictions_scores_and_probabilities(task: Any, program: Any) -> None:
    model = dppl.PrototypeClassifier(rho=0.1, classes=3, pool=task.pool, seed=1).fit(task.X, task.y)
    path = str(program.directory / "m.dppl")
    assert model.save(path) == model.model_.digest
    out = {name: str(program.directory / f"{name}.npy") for name in ("y", "s", "p")}
    program("predict", path, "--in", program.file("x", task.test_X), "-o", out["y"], "--scores", out["s"], "--probabilities", out["p"])
    np.testing.assert_array_equal(model.predict(task.test_X), np.load(out["y"]))
    np.testing.assert_array_equal(model.decision_function(task.test_X), np.load(out["s"]))
    np.testing.assert_array_equal(model.predict_proba(task.test_X), np.load(out["p"]))
    again = dppl.PrototypeClassifier.load(path)
    np.testing.assert_array_equal(again.predict(task.test_X), np.load(out["y"]))
    assert dppl.describe(path) == dppl.describe(model) == program("inspect", path)
