"""Arrays of every kind, read where they are."""

from __future__ import annotations

import sys
import types
import warnings
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse

import dppl
from dppl import _inputs
from dppl._inputs import as_matrix


def model(rows: Any, labels: Any, **more: Any) -> bytes:
    return dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1, **more).fit(rows, labels).model_.to_bytes()


class OnlyDlpack:
    """As a tensor of another library shows itself."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnlyArray:
    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None) -> Any:
        return self.array


class OnlyInterface:
    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


class TorchLike(OnlyArray):
    """A tensor that wants a gradient, which NumPy does not get before detach()."""

    attached = True

    def detach(self) -> OnlyArray:
        return OnlyArray(self.array)

    def __array__(self, dtype: Any = None) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


def test_every_kind_of_array_gives_the_same_model(task: Any) -> None:
    reference = model(task.X, task.y)
    for kind in (OnlyDlpack, OnlyArray, OnlyInterface, TorchLike, pandas.DataFrame, np.ndarray.tolist):
        assert model(kind(task.X), task.y) == reference, kind
    assert model(task.X, task.y.tolist()) == reference
    assert model(task.X, pandas.Series(task.y)) == reference
    for kind in (np.int8, np.uint8, np.int16, np.uint64, np.float64):
        assert model(task.X, task.y.astype(kind)) == reference


def test_labels_of_a_frame(task: Any) -> None:
    names = np.array(["benign", "malignant", "unclear"])
    frame = pandas.DataFrame({"diagnosis": names[task.y]})
    for labels in (frame["diagnosis"], frame["diagnosis"].astype("category"), frame["diagnosis"].astype("string"), list(names[task.y])):
        for classes in (names, list(names), pandas.Series(names)):
            model = dppl.PrototypeClassifier("mean", rho=0.1, classes=classes, seed=1).fit(task.X, labels)
            assert model.score(task.test_X, names[task.test_y]) > 0.9
    with pytest.raises(ValueError, match="not among"):
        dppl.PrototypeClassifier("mean", rho=0.1, classes=names, seed=1).fit(task.X, [None, *names[task.y][1:]])


def test_every_type_of_value(task: Any) -> None:
    whole = np.clip(np.round(task.X * 4), -100, 100)
    reference = model(whole.astype(np.float32), task.y)
    for kind in (np.float16, np.float64, np.int8, np.int16, np.int64, ">f4", ">f8", object):
        assert model(whole.astype(kind), task.y) == reference, kind
    positive = np.abs(whole) + 1
    assert model(positive.astype(np.uint8), task.y) == model(positive.astype(np.float32), task.y)
    signs = task.X > 0
    assert model(signs, task.y) == model(signs.astype(np.uint8), task.y)


def test_what_lies_well_is_not_copied(task: Any) -> None:
    wide = np.zeros((600, 100), np.float32)
    wide[:, 5:37] = task.X
    for array in (task.X, wide[:, 5:37], task.X[::2], task.X.astype(np.uint8), task.X[:1], task.X[:, :1]):
        assert np.shares_memory(as_matrix(array), array)
    read_only = task.X.copy()
    read_only.flags.writeable = False
    assert np.shares_memory(as_matrix(read_only), read_only)
    assert np.shares_memory(as_matrix(OnlyDlpack(task.X)), task.X)
    assert np.shares_memory(as_matrix(pandas.DataFrame(task.X, copy=False)), task.X)


def test_strided_views_are_the_rows_they_show(task: Any) -> None:
    wide = np.zeros((600, 100), np.float32)
    wide[:, 5:37] = task.X
    backwards = np.ascontiguousarray(task.X[::-1])[::-1]
    columns = np.asfortranarray(task.X)
    every_other = np.repeat(task.X, 2, axis=1)[:, ::2]
    reference = model(task.X, task.y)
    for view in (wide[:, 5:37], backwards, columns, every_other):
        assert model(view, task.y) == reference
    assert model(task.X[::3], task.y[::3]) == model(task.X[::3].copy(), task.y[::3].copy())


def test_a_large_copy_is_announced(task: Any, monkeypatch: Any) -> None:
    columns = np.asfortranarray(task.X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_matrix(columns)
    monkeypatch.setattr(_inputs, "LARGE_BYTES", 1000)
    with pytest.warns(dppl.CopyWarning, match="one value after the other"):
        as_matrix(columns)
    with pytest.warns(dppl.CopyWarning, match="int64 is not read as it is"):
        as_matrix(np.ones((100, 100), np.int64))


def test_sparse_and_shapeless_input_is_refused(task: Any) -> None:
    with pytest.raises(TypeError, match="sparse"):
        model(scipy.sparse.csr_matrix(task.X), task.y)
    for wrong in (task.X[0], task.X[None], np.float32(1)):
        with pytest.raises(ValueError, match="2D array"):
            model(wrong, task.y)
    with pytest.raises(ValueError, match="Complex"):
        model(task.X.astype(complex), task.y)
    with pytest.raises(ValueError, match="no number"):
        model(np.full((600, 4), "text"), task.y)
    with pytest.raises(ValueError, match="0 feature"):
        model(np.ones((600, 0)), task.y)
    with pytest.raises(ValueError, match="label"):
        model(task.X, task.y[:-1])
    with pytest.raises(ValueError, match="continuous"):
        model(task.X, task.y + 0.5)
    with pytest.raises(ValueError, match="NaN"):
        model(task.X, np.where(task.y == 0, np.nan, task.y))


def test_no_records_are_a_data_set_like_any_other(task: Any) -> None:
    empty = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1).fit(task.X[:0], task.y[:0])
    assert empty.predict_proba(task.test_X).shape == (300, 3)
    assert empty.predict(task.test_X[:0]).shape == (0,)


def test_people(task: Any) -> None:
    reference = model(task.X, task.y, people=task.people)
    assert reference != model(task.X, task.y)
    assert model(task.X, task.y, people=task.people.astype(np.uint8)) != reference  # 256 is 0 again: another set of people
    for people in (task.people.tolist(), task.people.astype(np.uint16), pandas.Series(task.people), [f"patient {i:04}" for i in task.people]):
        assert model(task.X, task.y, people=people) == reference
    missing: list[Any] = [*task.people[:-1].astype(str), None]
    for wrong in (missing, [*task.people[:-1].astype(str), " 7"], [*task.people[:-1].astype(str), ""], task.people + 0.0, task.people[:-1], task.people - 1,
                  np.full(600, 2**63, np.uint64), task.people[:, None]):
        with pytest.raises(ValueError, match="people|person|id"):
            model(task.X, task.y, people=wrong)


def test_frames_bring_their_names(task: Any) -> None:
    frame = pandas.DataFrame(task.X, columns=[f"v{i}" for i in range(32)])
    fitted = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1).fit(frame, task.y)
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame.rename(columns={"v0": "w0"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(task.X)


def test_arrow_tables(task: Any, tmp_path: Any, monkeypatch: Any) -> None:
    """pyarrow is not in Debian: a table with its interface stands in for it."""
    reads: list[str] = []
    pyarrow = pytest.importorskip("pyarrow") if "pyarrow" in sys.modules else types.ModuleType("pyarrow")

    class Table:
        num_columns = 32

        def column(self, i: int) -> Any:
            return types.SimpleNamespace(to_numpy=lambda: task.X[:, i])

    Table.__module__ = "pyarrow.lib"
    parquet = types.ModuleType("pyarrow.parquet")
    parquet.read_table = lambda path: reads.append(path) or Table()  # type: ignore[attr-defined,func-returns-value]
    pyarrow.parquet = parquet  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    assert model(Table(), task.y) == model(task.X, task.y)
    assert model("rows.parquet", task.y) == model(task.X, task.y) and reads == ["rows.parquet"]


def test_files_and_pools(task: Any, tmp_path: Any) -> None:
    np.save(tmp_path / "x.npy", task.X)
    np.save(tmp_path / "pool.npy", task.pool)
    assert model(tmp_path / "x.npy", task.y) == model(task.X, task.y)
    with pytest.raises(ValueError, match="neither"):
        model("rows.txt", task.y)
    pool = dppl.Pool(task.pool)
    assert (len(pool), pool.dim) == (1500, 32) and pool.digest == dppl.Pool(tmp_path / "pool.npy").digest
    info = pool.save(tmp_path / "p.pool", transform="whiten:8")
    assert info["rows"] == 1500 and info["transform"] == "whiten:8"
    fits = [model(task.X, task.y, pool=given, public_transform="whiten:8") for given in (task.pool, pool, str(tmp_path / "pool.npy"))]
    assert fits[0] == fits[1] == fits[2]
    assert dppl.PrototypeClassifier.load  # a pool file has its own digest; that it fits is enough
    model(task.X, task.y, pool=tmp_path / "p.pool", public_transform="whiten:8")
    with pytest.raises(ValueError, match="32|dimension"):
        model(task.X, task.y, pool=task.pool[:, :5], public_transform="center")
    with pytest.raises(OSError):
        dppl.Pool(tmp_path / "none.npy")


def test_rows_stay_alive_as_long_as_they_are_used(task: Any) -> None:
    import gc

    pool = dppl.Pool(task.pool.copy())
    gc.collect()
    junk = [np.full(task.pool.shape, np.nan, np.float32) for _ in range(4)]
    assert pool.digest == dppl.Pool(task.pool).digest and junk


def test_shards_are_one_pool(task: Any, tmp_path: Any) -> None:
    from dppl import _core

    parts = []
    for number, rows in enumerate((task.pool[:700], task.pool[700:]), 1):
        np.save(tmp_path / f"pool-{number}.npy", rows)
    sources = [str(tmp_path / "pool-1.npy"), str(tmp_path / "pool-2.npy")]
    for number in (1, 2, 3):
        parts.append(str(tmp_path / f"part-{number}.pool"))
        _core.build_pool(sources=sources, path=parts[-1], transform="whiten:8", shard=(number, 3), threads=1, progress=None)
    info = _core.commit_pool(shards=parts[::-1], path=str(tmp_path / "p.pools"), threads=1)
    assert info == {**dppl.Pool(task.pool).save(tmp_path / "p.pool", transform="whiten:8"), "bytes": info["bytes"]}
    found = _core.read_manifest(str(tmp_path / "p.pools"))
    assert found["content"] == info["digest"] == dppl.Pool(tmp_path / "p.pools").digest
    assert [(file, rows) for file, rows, _ in found["shards"]] == [(f"part-{number}.pool", 500) for number in (1, 2, 3)]
    assert model(task.X, task.y, pool=tmp_path / "p.pools") == model(task.X, task.y, pool=tmp_path / "p.pool")
    with pytest.raises(ValueError, match="is a shard"):
        dppl.Pool(parts[0])
    with pytest.raises(ValueError, match="i/N"):
        _core.build_pool(sources=sources, path=parts[0], transform="none", shard=(4, 3), threads=1, progress=None)
    with pytest.raises(ValueError, match="missing"):
        _core.commit_pool(shards=parts[:2], path=str(tmp_path / "q.pools"), threads=1)
