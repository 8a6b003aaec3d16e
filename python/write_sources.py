"""Writes the parameters of estimators from the library's own descriptions: of settings and of baselines.

    python3 write_sources.py DIRECTORY

writes _parameters.py and _baselines.py into the package's directory, where _core is. They are written out instead of made at run time, so that
scikit-learn, editors and type checkers read ordinary signatures.
"""

import importlib.util
import keyword
import pathlib
import sys

# What every fit has besides the settings of its method: name, type, default, words.
COMMON = [
    ("method", "str", '"auto"', "'mean', 'public', 'public-k', or 'auto': chosen for the budget, the pool and noisy class sizes"),
    ("rho", "Number | None", "None", "the budget in zCDP; give rho, epsilon, or epsilon and delta"),
    ("epsilon", "Number | None", "None", "the budget in pure DP (public and public-k), or with delta in approximate DP"),
    ("delta", "Number | None", "None", "goes with epsilon"),
    ("classes", "int | Sequence[Any] | None", "None", "the declared classes: their number, or all labels that may occur; never derived from the data"),
    ("pool", "PoolLike | None", "None", "public embeddings of the same encoder: an array, a path (.npy, .pool) or a dppl.Pool"),
    ("examples", "tuple[MatrixLike, LabelsLike] | None", "None", "public rows that show classes, and their labels; they cost nothing"),
    ("class_prior", "MatrixLike | None", "None", "one public vector per class, such as its name's embedding; zeros: nothing known"),
    ("people", "LabelsLike | None", "None", "whose record each row is: privacy for all records of a person together"),
    ("ledger", "str | os.PathLike[str] | Ledger | None", "None", "reserve the budget in this ledger first"),
    ("dataset", "str | None", "None", "the data set's name in the ledger"),
    ("seed", "int | None", "None", "a fixed seed, for tests and experiments: the model then protects nobody"),
    ("threads", "int | None", "None", "None: as many as the command line takes"),
    ("verbose", "bool", "False", "show progress (by tqdm where it is installed)"),
]


# scikit-learn takes whatever has an attribute `transform` for a transformer.
RENAMED = {"transform": "public_transform"}


def settings_of(core):
    for field in core.setting_fields():
        words = field["words"]
        if field["name"] == "transform":
            words += "; 'auto': this and the method's other settings, chosen"
        methods = ", ".join(field["methods"].split())
        default = f" (default {field['standard']})" if field["standard"] else ""
        kind = {"float": "Number"}.get(field["type"], field["type"])
        yield RENAMED.get(field["name"], field["name"].replace("-", "_")), f"{kind} | None", "None", f"{words}{default}; of {methods}"


def parameters_source(core):
    settings = list(settings_of(core))
    parameters = COMMON + settings
    signature = "".join(f"        {name}: {kind} = {default},\n" for name, kind, default, _ in parameters[1:])
    assignments = "".join(f"        self.{name} = {name}\n" for name, *_ in parameters)
    documentation = "".join(f"    {name} : {kind}, default {default}\n        {words[0].upper()}{words[1:]}.\n" for name, kind, default, words in parameters)
    name, kind, default, _ = parameters[0]
    return f'''"""The parameters of dppl.PrototypeClassifier. Made by write_sources.py from the description of settings: do not edit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from ._inputs import LabelsLike, MatrixLike, Number
    from ._ledger import Ledger
    from ._pool import PoolLike

# By parameter, the name of the setting.
SETTINGS = {dict(zip((name for name, *_ in settings), (field["name"] for field in core.setting_fields())))!r}

DOCUMENTATION = """\\
{documentation}"""


class Parameters:
    def __init__(
        self,
        {name}: {kind} = {default},
        *,
{signature}    ) -> None:
{assignments}'''


# "dp-sgd" is DPSGD, "class-mean" ClassMean.
def class_name(name):
    return "".join(word.upper() if word in ("dp", "sgd", "ls", "fc") else word.capitalize() for word in name.split("-"))


def baseline_source(baseline):
    # By parameter, the name of the setting: Python keeps `lambda` to itself.
    settings = {f"{name}_" if keyword.iskeyword(name) else name: name for name in baseline["defaults"]}
    defaults = [(name, int(value) if value == int(value) else value) for name, value in zip(settings, baseline["defaults"].values())]
    parameters = [("rho", "float | None", None)] if baseline["private"] else []
    parameters += [(name, "float", value) for name, value in defaults]
    parameters += [("pool", "PoolLike | None", None)] if baseline["uses_pool"] else []
    parameters += [("seed", "int", 0), ("threads", "int | None", None)]
    signature = "".join(f"        {name}: {kind} = {default!r},\n" for name, kind, default in parameters)
    assignments = "".join(f"        self.{name} = {name}\n" for name, *_ in parameters)
    words = baseline["words"]
    return f'''

class {class_name(baseline["name"])}(Baseline):
    """{words[0].upper()}{words[1:]}. docs/baselines.md says more. Not private."""

    _name = {baseline["name"]!r}
    _settings = {settings!r}

    def __init__(
        self,
        *,
{signature}    ) -> None:
{assignments}'''


def baselines_source(core):
    found = core.baselines()
    names = [class_name(baseline["name"]) for baseline in found]
    return f'''"""Methods of others, one class each. Made by write_sources.py from the lab's registry: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._baseline import Baseline

if TYPE_CHECKING:
    from ._pool import PoolLike

__all__ = {names!r}
{"".join(map(baseline_source, found))}'''


def main():
    package = pathlib.Path(sys.argv[1])
    # The module alone, without the package around it, which needs what is written here.
    library = next(package.glob("_core.*.so"))
    spec = importlib.util.spec_from_file_location("_core", library)
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    (package / "_parameters.py").write_text(parameters_source(core), encoding="utf-8")
    (package / "_baselines.py").write_text(baselines_source(core), encoding="utf-8")


if __name__ == "__main__":
    main()
