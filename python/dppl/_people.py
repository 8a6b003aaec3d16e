from __future__ import annotations

from typing import Any, Callable, NoReturn

import numpy as np
import numpy.typing as npt

from ._inputs import LabelsLike


class LeftOut:
    """Stands where a parameter was left out of a pickle. A fit refuses it, since one without it would promise less."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}: left out of the pickle>"

    def refuse(self) -> NoReturn:
        raise ValueError(f"{self.name}: was left out when this estimator was pickled; set_params({self.name}=...) gives it again, also as None")


class People:
    """Whose record each row is, as an estimator holds it: never printed, never pickled, checked at the fit."""

    def __init__(self, ids: LabelsLike) -> None:
        self._ids = ids

    @classmethod
    def of(cls, people: Any) -> Any:
        """What may stand for people; ids are wrapped."""
        return people if people is None or isinstance(people, (People, LeftOut)) else cls(people)

    def numbers(self) -> npt.NDArray[np.int64]:
        """One number per record, equal for records of one person."""
        array = np.asarray(self._ids)
        if array.ndim != 1:
            raise ValueError("people: one id per record, in one dimension")
        if array.dtype.kind in "iu":
            if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
                raise ValueError("people: an id is larger than 64 bits hold; number them from 0 on")
            return np.asarray(array, np.int64)
        if array.dtype.kind in "fM":
            raise ValueError("people: ids are whole numbers or text; a missing id makes floats of a column of numbers")
        texts = array.tolist()
        if not all(isinstance(text, str) and text and text == text.strip() for text in texts):
            raise ValueError("people: an id is missing, is no text, or has a blank at either end, which would make two people of one")
        return np.asarray(np.unique(np.asarray(texts, str), return_inverse=True)[1], np.int64)

    def __repr__(self) -> str:
        return "<private>"

    def __deepcopy__(self, memo: Any) -> People:
        return self

    def __reduce__(self) -> tuple[Callable[..., LeftOut], tuple[str]]:
        return LeftOut, ("people",)
