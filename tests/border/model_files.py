"""Model files with altered contents under a digest that is right: arrays, shapes and numbers of fitted models."""

import json
import tempfile
import warnings
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from mercer.persistence import load, save
from mercer.persistence.archive import SCHEMA
from tests.border.case import Case
from tests.border.damage import damaged_array
from tests.border.odd import pick
from tests.border.sentences import problem
from tests.contracts.behaviour import answers
from tests.persistence.fuzz import Mutator
from tests.persistence.models import Case as Model

__all__ = ["model_files"]

MODELS = [
    *(
        Model(name, "csr")
        for name in (
            "SVC", "SVR", "KernelRidge", "KernelPCA", "KernelKNeighborsClassifier", "OneClassSVM", "KernelPerceptron",
            "Ridge", "KernelKMeans", "KernelRows", "FeatureMap", "KernelLogisticRegression",
            "KernelDiscriminantAnalysis",
        )
    ),
    *(Model("SVC", data) for data in ("vectors", "precomputed", "list of str", "tokens", "Trees", "Graphs", "pandas")),
    Model("KernelRidge", "vectors"),
    Model("KernelPCA", "precomputed"),
    Model("KernelRows", "Graphs"),
    Model("KernelPerceptron", "Trees"),
]  # fmt: skip


@cache
def _files() -> list[tuple[Model, bytes]]:
    files = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.mercer"
        for model in MODELS:
            save(model.fitted(), path)
            files.append((model, path.read_bytes()))
    return files


def model_files(rng: np.random.Generator, i: int) -> Case:
    """A file with one array or one number changed; it is loaded, and the model answers."""
    model, content = _files()[i % len(MODELS)]
    mutator = Mutator(content, rng)
    chance = rng.random()
    if chance < 0.1 and model.data == "csr" and len(_sparse_parts(mutator)) == 3:
        what, changed = _without_entries(rng, mutator)
    elif chance < 0.35 or not mutator.arrays:
        what, changed = _number(rng, mutator)
    else:
        what, changed = _array(rng, mutator)
    return Case(
        f"file of {model}, {what}",
        "load and predict",
        lambda: _answers(changed, model.new),
        finite=False,
        any_error=True,
    )


class LoadFault(BaseException):
    """Loading failed in a way that it must not; not an Exception, so that nothing takes it for a refusal."""


def _answers(content: bytes, new: Any) -> Any:
    """Answers of the model in a file. Only `load` owes a sentence: attributes of models are free to be anything."""
    with tempfile.NamedTemporaryFile(suffix=".mercer") as file:
        file.write(content)
        file.flush()
        try:
            model = load(file.name)
        except Exception as error:
            wrong = problem(error) if isinstance(error, ValueError) else f"not a ValueError: {error!r}"
            if wrong:
                raise LoadFault(f"{wrong}: {error}") from None
            raise
    return answers(model, new)


def _sparse_parts(mutator: Mutator) -> dict[str, str]:
    """The members that hold the parts of a sparse matrix, by part."""
    owners = {_owner(mutator, name): name for name in mutator.arrays}
    return {part: owners[part] for part in ("data", "indices", "indptr") if part in owners}


def _without_entries(rng: np.random.Generator, mutator: Mutator) -> tuple[str, bytes]:
    """A sparse matrix without entries whose rows point to some all the same: SciPy's own check does not look there."""
    members = _sparse_parts(mutator)
    arrays = {part: np.load(BytesIO(mutator.members[name])) for part, name in members.items()}
    arrays["data"], arrays["indices"] = arrays["data"][:0], arrays["indices"][:0]
    arrays["indptr"][:] = 0
    at = int(rng.integers(1, max(2, len(arrays["indptr"]) - 1)))
    arrays["indptr"][at] = pick(rng, [-1, 1, 5, 10**6, 2**31 - 1, -(2**31)])
    return "a matrix without entries, and rows that have some", mutator.packed(
        {members[part]: _stored(array) for part, array in arrays.items()}
    )


def _stored(array: Any) -> bytes:
    buffer = BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _array(rng: np.random.Generator, mutator: Mutator) -> tuple[str, bytes]:
    name = pick(rng, sorted(mutator.arrays))
    array = np.load(BytesIO(mutator.members[name]))
    what, new = damaged_array(rng, array)
    kept = np.asarray(new if isinstance(new, np.ndarray) and new.dtype != object else 0.0)
    return f"{_owner(mutator, name)}: {what}", mutator.packed({name: _stored(kept)})


def _number(rng: np.random.Generator, mutator: Mutator) -> tuple[str, bytes]:
    """A number of the schema: of the shape of a sparse matrix, n_features_in_, a parameter."""
    tree = json.loads(mutator.members[SCHEMA])
    path, node = pick(rng, [(path, node) for path, node in _nodes(tree) if _numbers(node) is not None])
    node["content"] = _with_other_number(rng, _numbers(node), node["content"])
    return f"{path}: a number", mutator.packed({SCHEMA: json.dumps(tree).encode()})


def _numbers(node: dict[str, Any]) -> Any:
    """The number or the list of numbers that a node stands for; lists are stored as texts."""
    if node.get("__loader__") != "JsonNode" or not isinstance(node.get("content"), str):
        return None
    value = json.loads(node["content"])
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        value = json.loads(value)
    whole = isinstance(value, list) and value and all(type(item) in (int, float) for item in value)
    return value if whole or type(value) in (int, float) else None


def _with_other_number(rng: np.random.Generator, value: Any, content: str) -> str:
    given = value if isinstance(value, list) else [value]
    at = int(rng.integers(len(given)))
    new = pick(rng, [-1, 0, 1, 3, 10**6, 2**31, 2**62, 0.5, None, float("nan"), given[at] + 1, given[at] - 1])
    text = json.dumps([*given[:at], new, *given[at + 1 :]] if isinstance(value, list) else new)
    return json.dumps(text) if content.startswith('"') else text


def _nodes(tree: Any, path: str = "") -> Any:
    """All nodes of a schema, each with the name of the attribute that it belongs to."""
    if isinstance(tree, dict):
        if "__loader__" in tree:
            yield path, tree
        for key, value in tree.items():
            inner = key if key not in ("content", "attrs", "state") and not key.startswith("__") else path
            yield from _nodes(value, inner)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value, path)


def _owner(mutator: Mutator, member: str) -> str:
    tree = json.loads(mutator.members[SCHEMA])
    return next((path for path, node in _nodes(tree) if node.get("file") == member), member)
