"""Embeddings of images, in memory and from files, by the built-in encoder and by one in ONNX's format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dppl


@pytest.fixture(scope="module")
def images() -> Any:
    random = np.random.default_rng(0)
    return (random.random((9, 28, 28)) * np.linspace(0, 255, 28)).astype(np.uint8)


def test_memory_files_and_the_command_line_agree(images: Any, program: Any) -> None:
    rows = dppl.embed(images)
    source = program.file("images", images)
    output = str(program.directory / "x.npy")
    program("embed", source, "--encoder", "builtin:hog", "-o", output)
    np.testing.assert_array_equal(rows, np.load(output))
    np.testing.assert_array_equal(rows, dppl.embed(source))
    kept = dppl.embed(source, output=program.directory / "kept.npy", batch=4, threads=1)
    np.testing.assert_array_equal(rows, kept)
    np.testing.assert_array_equal(rows, dppl.embed(images[..., None]))


def test_an_encoder_in_onnx_format(images: Any, tmp_path: Any) -> None:
    onnx = pytest.importorskip("onnx")
    pixels = onnx.helper.make_tensor_value_info("pixels", onnx.TensorProto.FLOAT, ["N", 3, 28, 28])
    embedding = onnx.helper.make_tensor_value_info("embedding", onnx.TensorProto.FLOAT, ["N", 3])
    mean = onnx.helper.make_node("ReduceMean", ["pixels"], ["embedding"], axes=[2, 3], keepdims=0)
    model = onnx.helper.make_model(onnx.helper.make_graph([mean], "mean", [pixels], [embedding]), opset_imports=[onnx.helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.save(model, str(tmp_path / "mean.onnx"))
    colours = np.repeat(images[..., None], 3, axis=3)
    try:
        rows = dppl.embed(colours, encoder=tmp_path / "mean.onnx", onnx={"normalise": "unit"})
    except ValueError as refused:
        if "ONNX Runtime: cannot be opened" in str(refused):
            pytest.skip(str(refused))
        raise
    np.testing.assert_allclose(rows, colours.mean(axis=(1, 2)) / 255, atol=1e-5)


def test_what_is_no_image_is_refused(images: Any, tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="uint8"):
        dppl.embed(images.astype(np.float32))
    for wrong in (images[0], np.zeros((2, 5, 5, 4), np.uint8), np.zeros((2, 0, 5), np.uint8)):
        with pytest.raises(ValueError, match="images"):
            dppl.embed(wrong)
    with pytest.raises(ValueError, match="for files"):
        dppl.embed(images, output=tmp_path / "x.npy")
    with pytest.raises(ValueError, match="nothing"):
        dppl.embed(images, encoder="nothing")
    with pytest.raises(ValueError, match="not an option"):
        dppl.embed(images, encoder="x.onnx", onnx={"colour": "red"})
