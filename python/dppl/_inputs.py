"""Arrays of every kind, made something that the library reads where it is."""

from __future__ import annotations

import decimal
import fractions
import os
import warnings
from typing import Any, Protocol, Sequence, Union, runtime_checkable

import numpy as np
import numpy.typing as npt

from ._errors import CopyWarning


@runtime_checkable
class SupportsArray(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...


Number = Union[float, str, fractions.Fraction, decimal.Decimal]
MatrixLike = Union[npt.NDArray[Any], SupportsArray, Sequence[Sequence[float]], str, "os.PathLike[str]"]
LabelsLike = Union[npt.NDArray[Any], SupportsArray, Sequence[Any]]

READ_AS_THEY_ARE = {np.dtype(kind) for kind in ("f2", "f4", "f8", "i1", "u1")}
# Smaller copies are not worth a word.
LARGE_BYTES = 16 << 20


def as_matrix(values: Any, name: str = "X") -> npt.NDArray[Any]:
    """Rows as a matrix of float16, float32, float64, int8 or uint8 whose values lie side by side; a view wherever that is possible."""
    array = _as_array(values, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: Expected 2D array, got {array.ndim}D array instead. Reshape your data: one row per record.")
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported")
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if array.dtype not in READ_AS_THEY_ARE or not array.dtype.isnative:
        kind = array.dtype.newbyteorder("=") if array.dtype.newbyteorder("=") in READ_AS_THEY_ARE else np.dtype("f8")
        array = _copied(array, name, f"{array.dtype} is not read as it is", kind)
    if array.shape[1] == 0:
        raise ValueError(f"{name}: Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    size = array.dtype.itemsize
    lies_well = (array.shape[1] == 1 or array.strides[1] == size) and (array.shape[0] <= 1 or array.strides[0] >= array.shape[1] * size)
    return array if lies_well else _copied(array, name, "its rows do not lie in memory one value after the other", array.dtype)


def as_plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects as text or whole numbers, where all of them are, as in a column of a frame."""
    if array.dtype.kind == "O":
        values = array.ravel().tolist()
        if values and all(isinstance(value, str) for value in values):
            return array.astype(np.str_)
        if values and all(isinstance(value, (int, np.integer)) for value in values):
            return array.astype(np.int64)
    return array


def as_labels(labels: Any, name: str = "y") -> npt.NDArray[Any]:
    """Labels as a one-dimensional array."""
    if labels is None:
        raise ValueError(f"This estimator requires {name} to be passed, but the target {name} is None")
    array = as_plain(np.asarray(labels))
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn("A column-vector y was passed when a 1d array was expected", DataConversionWarning, stacklevel=4)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"{name}: one label per row, in one dimension")
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported")
    if array.dtype.kind == "f":
        # Neither of the messages tells what stands there.
        if not np.isfinite(array).all():
            raise ValueError(f"Input {name} contains NaN or infinity; labels are the declared classes")
        if (array != np.floor(array)).any():
            raise ValueError("Unknown label type: continuous; labels are the declared classes")
    return array


def as_numbers(labels: Any, classes: npt.NDArray[Any], name: str = "y") -> npt.NDArray[np.int64]:
    """The place of each label among the declared classes."""
    array = as_labels(labels, name)
    order = np.argsort(classes, kind="stable")
    ordered = classes[order]
    kinds = {array.dtype.kind, classes.dtype.kind}
    known = len(kinds) == 1 or not kinds & set("US")  # text is never equal to anything else
    if known:
        places = np.minimum(np.searchsorted(ordered, array), len(classes) - 1)
        known = bool(np.all(ordered[places] == array))
    if not known:
        raise ValueError(f"{name}: a label is not among the declared classes; declare every one that may occur with classes=")
    return np.asarray(order[places], np.int64)


def feature_names(values: Any) -> npt.NDArray[Any] | None:
    """Names of columns, where all of them are text; of a frame."""
    columns = getattr(values, "columns", None)
    if columns is None:
        return None
    names = np.asarray(columns, dtype=object)
    return names if len(names) and all(isinstance(name, str) for name in names) else None


def _as_array(values: Any, name: str) -> npt.NDArray[Any]:
    if isinstance(values, (str, os.PathLike)):
        return _read(os.fspath(values), name)
    if hasattr(values, "tocsr") and hasattr(values, "toarray"):
        raise TypeError(f"{name}: a sparse matrix was passed, but dense embeddings are needed; X.toarray() makes them dense")
    if type(values).__module__.partition(".")[0] == "pyarrow":
        columns = [values.column(i) for i in range(values.num_columns)]
        return np.column_stack([column.to_numpy() for column in columns])
    if not hasattr(values, "__array__") and not hasattr(values, "__array_interface__") and hasattr(values, "__dlpack__"):
        return np.from_dlpack(values)
    if hasattr(values, "detach"):  # a tensor of torch that requires a gradient
        values = values.detach()
    array = np.asarray(values)
    if array.dtype.kind in "OUS":
        if array.dtype.kind == "O" and any(isinstance(value, dict) for value in array.ravel()[:1]):
            raise TypeError("argument must be a string or a number")
        try:
            array = array.astype(np.float64)
        except ValueError:
            raise ValueError(f"{name}: a value is no number") from None
    return array


def _read(path: str, name: str) -> npt.NDArray[Any]:
    if path.endswith(".parquet"):
        try:
            import pyarrow.parquet
        except ImportError:
            raise ImportError(f"{name}: pyarrow reads Parquet files; install it, or pass a .npy") from None
        return _as_array(pyarrow.parquet.read_table(path), name)
    if not path.endswith(".npy"):
        raise ValueError(f"{name}: '{path}' is neither a .npy nor a .parquet")
    array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _copied(array: npt.NDArray[Any], name: str, why: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    bytes_copied = array.size * dtype.itemsize
    if bytes_copied >= LARGE_BYTES:
        warnings.warn(f"{name}: copies {bytes_copied >> 20} MB, because {why}", CopyWarning, stacklevel=4)
    return np.ascontiguousarray(array, dtype=dtype)
