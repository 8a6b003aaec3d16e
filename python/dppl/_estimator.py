from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from . import _core
from ._account import as_amounts, as_text
from ._errors import NoLedgerWarning
from ._inputs import LabelsLike, MatrixLike, as_labels, as_matrix, as_numbers, as_plain, feature_names
from ._ledger import Ledger
from ._parameters import DOCUMENTATION, SETTINGS, Parameters
from ._people import LeftOut, People
from ._pool import Pool, as_pool
from ._progress import shown_progress

# The checks of scikit-learn's check_estimator that cannot hold, and why.
CONTRADICTED_CHECKS = {
    "check_set_params": "people= comes back wrapped: whose records they are is private, and scikit-learn prints parameters",
    "check_estimators_dtypes": "its integer rows have zeros only in places, and a record without a direction is refused before budget is spent",
}


class PrototypeClassifier(ClassifierMixin, BaseEstimator, Parameters):  # type: ignore[misc]
    # The documentation is put together below.

    def fit(self, X: MatrixLike, y: LabelsLike, people: LabelsLike | None = None) -> PrototypeClassifier:
        """Makes prototypes for every declared class, with or without records. Spends the budget.

        `people` says whose record each row is, as the parameter of the same name does.
        """
        if self.seed is None:
            _refuse_repeated_fits()
        whose = self.people if people is None else People.of(people)
        for given in (whose, self.ledger):
            if isinstance(given, LeftOut):
                given.refuse()
        amounts = as_amounts(rho=self.rho, epsilon=self.epsilon, delta=self.delta)
        classes = self._declared_classes(y)
        pool = self.pool if isinstance(self.pool, _core.RemotePool) else as_pool(self.pool, self._threads())
        account = self._account()
        if account is None and self.seed is None:
            warnings.warn("no ledger: what this fit spends is written down nowhere; ledger= and dataset= keep the account", NoLedgerWarning, stacklevel=2)
        request = _core.FitRequest(
            method=self.method,
            settings=self._settings(),
            budget=amounts,
            pool=pool,
            for_people=whose is not None,
            account=account,
            threads=self._threads(),
            **self._public_knowledge(classes),
        )
        # Private values are looked at from here on only.
        names = feature_names(X)
        with shown_progress("fit", self.verbose) as progress:
            model, interrupted = request.run(
                rows=as_matrix(X),
                labels=as_numbers(y, classes),
                people=None if whose is None else whose.numbers(),
                seed=self.seed,
                progress=progress,
            )
        self._take(model, classes, names)
        if interrupted:
            raise KeyboardInterrupt("the fit was done already: its budget is spent, and the model is kept")
        return self

    def fit_public_only(self) -> PrototypeClassifier:
        """A classifier of `examples` and `class_prior` alone: reads no private data and spends nothing."""
        if self.classes is None:
            raise ValueError("declare the classes: classes=")
        classes = self._declared_classes(None)
        model = _core.fit_public_only(
            method=self.method,
            settings=self._settings(),
            pool=as_pool(self.pool, self._threads()),
            threads=self._threads(),
            **self._public_knowledge(classes),
        )
        return self._take(model, classes, None)

    def predict(self, X: MatrixLike) -> npt.NDArray[Any]:
        """The class of the nearest prototype, for every row."""
        rows = self._rows(X)
        labels: npt.NDArray[Any] = self.classes_[self.model_.predict(rows, self._threads())]
        return labels

    def predict_proba(self, X: MatrixLike) -> npt.NDArray[np.float32]:
        """How sure the model is of each class; each row sums to 1."""
        rows = self._rows(X)
        return self.model_.score(rows, True, self._threads())

    def decision_function(self, X: MatrixLike) -> npt.NDArray[np.float32]:
        """The similarity of each row to each class; of two classes, by how much the second one is nearer."""
        rows = self._rows(X)
        scores = self.model_.score(rows, False, self._threads())
        return scores if scores.shape[1] != 2 else scores[:, 1] - scores[:, 0]

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the model file, the same as the command line's, and returns its digest."""
        self._check_fitted()
        return self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PrototypeClassifier:
        """A fitted classifier from a model file."""
        model = _core.Model.load(os.fspath(path))
        names = model.class_names
        classes = np.arange(model.n_classes) if names is None else np.asarray(names)
        result = cls(model.method, classes=model.n_classes if names is None else names)
        return result._take(model, classes, None)

    # A parameter like the others, but for what it shows of itself. Of init, scikit-learn allows attributes of the parameters' names only.
    @property  # type: ignore[override]
    def people(self) -> People | LeftOut | None:
        held: People | LeftOut | None = self.__dict__["people"]
        return held

    @people.setter
    def people(self, people: Any) -> None:
        self.__dict__["people"] = People.of(people)

    # ---- How it is made

    def _threads(self) -> int:
        return self.threads or _core.DEFAULT_THREADS

    def _settings(self) -> dict[str, str]:
        given = {name: getattr(self, name) for name in SETTINGS if getattr(self, name) is not None}
        return {SETTINGS[name]: ("on" if value else "off") if isinstance(value, bool) else as_text(value, name) for name, value in given.items()}

    def _declared_classes(self, y: Any) -> npt.NDArray[Any]:
        if isinstance(self.classes, (int, np.integer)) and not isinstance(self.classes, bool):
            if self.classes < 1:
                raise ValueError("classes: at least 1")
            return np.arange(int(self.classes))
        if self.classes is not None:
            classes = as_plain(np.asarray(self.classes))
            if classes.ndim != 1 or len(classes) == 0 or len(np.unique(classes)) != len(classes):
                raise ValueError("classes: a number, or all labels that may occur, each once")
            return classes
        if self.seed is None:
            raise ValueError("declare the classes: classes= is their number, or all labels that may occur. Which of them do occur is private, so they are never taken from y")
        return np.asarray(np.unique(as_labels(y)))

    def _public_knowledge(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        numbered = classes.dtype.kind in "iu" and bool((classes == np.arange(len(classes))).all())
        examples, labels = (None, None) if self.examples is None else self.examples
        return {
            "classes": len(classes) if numbered else [str(name) for name in classes.tolist()],
            "examples": as_pool(examples, self._threads()),
            "example_labels": None if labels is None else as_numbers(labels, classes, "examples"),
            "class_prior": None if self.class_prior is None else as_matrix(self.class_prior, "class_prior"),
        }

    def _account(self) -> tuple[str, str] | None:
        if (self.ledger is None) != (self.dataset is None):
            raise ValueError("ledger= goes with dataset=")
        if self.ledger is None or self.dataset is None:
            return None
        return self.ledger.path if isinstance(self.ledger, Ledger) else os.fspath(self.ledger), self.dataset

    def _take(self, model: _core.Model, classes: npt.NDArray[Any], names: npt.NDArray[Any] | None) -> PrototypeClassifier:
        self.model_ = model
        self.classes_ = classes
        self.n_features_in_ = model.n_features
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    @property
    def guarantee_(self) -> _core.Guarantee:
        """What the fit cost."""
        self._check_fitted()
        return self.model_.guarantee

    @property
    def prototypes_(self) -> npt.NDArray[np.float32]:
        """Per class its prototypes, in the space of the model's transform: classes × prototypes × directions."""
        self._check_fitted()
        return self.model_.prototypes

    @property
    def prototype_rows_(self) -> npt.NDArray[np.int64] | None:
        """Which rows of the pool they are, for public and public-k: classes × prototypes."""
        self._check_fitted()
        return self.model_.pool_indices

    # ---- How it is used

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first, or load() a model.")

    def _rows(self, X: MatrixLike) -> npt.NDArray[Any]:
        self._check_fitted()
        self._check_names(feature_names(X))
        rows = as_matrix(X)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        if rows.dtype.kind == "f" and not np.isfinite(rows).all():
            raise ValueError("Input X contains NaN or infinity")
        return rows

    def _check_names(self, names: npt.NDArray[Any] | None) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if names is None and fitted is None:
            return
        if names is None:
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names", UserWarning, stacklevel=4)
        elif fitted is None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", UserWarning, stacklevel=4)
        elif len(names) != len(fitted) or (names != fitted).any():
            raise ValueError(_names_differ(list(fitted), list(names)))

    # ---- What scikit-learn asks

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _more_tags(self) -> dict[str, Any]:  # up to scikit-learn 1.5
        return {"non_deterministic": self.seed is None, "requires_y": True, "_xfail_checks": CONTRADICTED_CHECKS}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.seed is None
        tags.target_tags.required = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.get("ledger") is not None:
            state["ledger"] = LeftOut("ledger")
        return state


def _refuse_repeated_fits() -> None:
    """A search or a cross-validation fits many times, and each fit spends the budget: found by who calls.

    scikit-learn tells an estimator nothing else: it clones it and calls fit, here and in other processes alike.
    """
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            raise ValueError(
                "searches and cross-validation fit once for every candidate and fold, and each fit spends the budget again. "
                "method='auto' chooses settings at no cost; for experiments on data that need no protection, seed= marks the models not private"
            )
        frame = frame.f_back  # type: ignore[assignment]


def _names_differ(fitted: list[str], given: list[str]) -> str:
    """In the words of scikit-learn, which people search for."""
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (("Feature names unseen at fit time", set(given) - set(fitted)), ("Feature names seen at fit time, yet now missing", set(fitted) - set(given))):
        if names:
            shown = sorted(names)[:5]
            message += f"{title}:\n" + "".join(f"- {name}\n" for name in shown) + ("- ...\n" if len(names) > 5 else "")
    if set(given) == set(fitted):
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


PrototypeClassifier.__doc__ = f"""A classifier by the nearest prototype that may be published: prototypes are released under differential privacy.

    Parameters
    ----------
{DOCUMENTATION}
    Attributes
    ----------
    classes_ : the declared classes, in the order of columns of predict_proba
    n_features_in_ : values per row
    guarantee_ : dppl.Guarantee, what the fit cost
    prototypes_ : per class its prototypes, in the space of the model's transform
    prototype_rows_ : which rows of the pool they are (public, public-k)
    model_ : dppl.Model, what save() writes

    Examples
    --------
    >>> import dppl, numpy as np
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(3, size=900)
    >>> X = (3 * np.eye(16)[y] + random.normal(size=(900, 16))).astype("float32")
    >>> pool = random.normal(size=(2000, 16)).astype("float32")
    >>> model = dppl.PrototypeClassifier("mean", rho=0.02, classes=3, pool=pool, seed=7).fit(X, y)
    >>> model.predict(X[:4]).tolist() == y[:4].tolist()
    True
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

__all__ = ["Pool", "PrototypeClassifier"]
