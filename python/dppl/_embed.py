from __future__ import annotations

import os
import tempfile
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._progress import shown_progress


def embed(
    images: npt.ArrayLike | str | os.PathLike[str],
    *,
    encoder: str | os.PathLike[str] = "builtin:hog",
    output: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    label_source: str | os.PathLike[str] | None = None,
    classes: int | Sequence[str] | None = None,
    people: str | os.PathLike[str] | None = None,
    people_from_path: str | None = None,
    skip_bad: bool = False,
    size: int | None = None,
    onnx: dict[str, Any] | None = None,
    batch: int | None = None,
    threads: int | None = None,
    verbose: bool = False,
) -> npt.NDArray[np.float32]:
    """Embeddings of images, by the built-in encoder or a model in ONNX's format.

    `images` is an array of uint8 (images × height × width, with or without channels), or what the command line takes: a
    folder of folders, a .csv, an IDX, CIFAR or STL-10 file. From files, rows are written to `output` (.npy) as they
    come, and a call that was interrupted goes on from there; `labels` and `people` name files to write beside it.

    >>> import dppl, numpy as np
    >>> dppl.embed(np.zeros((2, 28, 28), np.uint8) + np.arange(28, dtype=np.uint8)).shape[0]
    2
    """
    how = encoder_options(encoder, onnx, size, batch, threads or _core.DEFAULT_THREADS)
    if not isinstance(images, (str, os.PathLike)):
        if any(given is not None for given in (output, labels, label_source, classes, people, people_from_path)):
            raise ValueError("images in memory come back as rows: output=, labels=, label_source=, classes= and people= are for files")
        pixels = _as_pixels(images)
        with shown_progress("embed", verbose) as progress:
            return _core.encode(pixels=pixels, progress=progress, **how)
    with tempfile.TemporaryDirectory() as directory:
        path = os.fspath(output) if output is not None else os.path.join(directory, "rows.npy")
        with shown_progress("embed", verbose) as progress:
            _core.embed_files(
                images=os.fspath(images),
                label_source=os.fspath(label_source or ""),
                output=path,
                labels=os.fspath(labels or ""),
                classes=classes if classes is None or isinstance(classes, int) else list(classes),
                people=os.fspath(people or ""),
                people_pattern=people_from_path or "",
                skip_bad=skip_bad,
                progress=progress,
                **how,
            )
        rows: npt.NDArray[np.float32] = np.load(path, mmap_mode="r" if output is not None else None)
        return rows


def encoder_options(
    encoder: str | os.PathLike[str], onnx: dict[str, Any] | None, size: int | None, batch: int | None, threads: int
) -> dict[str, Any]:
    name = os.fspath(encoder)
    return {
        "encoder": name,
        "onnx": {option: str(value) for option, value in (onnx or {}).items()},
        "size": size,
        "batch": batch or _core.usual_batch(name),
        "threads": threads,
    }


def _as_pixels(images: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    pixels = np.asarray(images)
    if pixels.dtype != np.uint8:
        raise TypeError("images: pixels are uint8, from 0 to 255")
    if pixels.ndim == 3:
        pixels = pixels[..., None]
    if pixels.ndim != 4 or pixels.shape[3] not in (1, 3) or 0 in pixels.shape[1:]:
        raise ValueError("images: an array of images × height × width, or × 3 channels")
    return np.ascontiguousarray(pixels)
