"""Loads files that were changed in every way one can think of: ``python -m tests.persistence.fuzz SEED COUNT``.

Every load must end in a ValueError or in an object, and whatever is loaded must answer or raise an exception. Nothing
may start a process, evaluate a text or unpickle anything on the way. Prints what was found; a crash is for the caller
to see, which is why this is a process of its own.
"""

import copy
import json
import pickle
import resource
import signal
import sys
import tempfile
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import scipy.sparse as sp

from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, Delta
from mercer.kernels.graphs import ShortestPath, WeisfeilerLehman
from mercer.kernels.strings import Spectrum, Subsequence
from mercer.kernels.trees import SubsetTree
from mercer.neighbors import KernelKNeighborsClassifier
from mercer.perceptron import KernelPerceptron
from mercer.persistence import load, save
from mercer.persistence.archive import MANIFEST, SCHEMA, _digest
from mercer.preprocessing import FeatureMap, KernelRows
from mercer.svm import SVC, OneClassSVM

FORBIDDEN = (
    "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.remove", "subprocess.", "pickle.", "socket.",
    "shutil.", "ctypes.", "webbrowser.",
)  # fmt: skip
NAMES = [
    ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("builtins", "exec"), ("subprocess", "Popen"),
    ("builtins", "__import__"), ("pickle", "loads"), ("numpy", "load"), ("importlib", "import_module"),
    ("mercer.kernels", "User"), ("mercer.data", "Strings"), ("mercer.data.graphs", "Graphs"), ("mercer.svm", "SVC"),
    ("mercer.kernels.stationary", "RBF"), ("mercer.persistence", "Stored"),
    ("scipy.sparse._csr", "csr_matrix"), ("numpy", "void"), ("numpy", "object_"),
    ("builtins", "dict"), ("builtins", "list"), ("builtins", "bytes"), ("sklearn.pipeline", "Pipeline"),
    ("numpy.random.mtrand", "RandomState"), ("mercer.svm.svc", "SVC"), ("mercer.persistence.stored", "Stored"),
]  # fmt: skip
LOADERS = [
    "DictNode", "ListNode", "SetNode", "TupleNode", "BytesNode", "SliceNode", "FunctionNode", "MethodNode",
    "PartialNode", "TypeNode", "ConstructorFromReduceNode", "ObjectNode", "JsonNode", "OperatorFuncNode",
    "NdArrayNode", "MaskedArrayNode", "DTypeNode", "RandomStateNode", "RandomGeneratorNode", "SparseMatrixNode",
    "TreeNode", "LossNode", "DefaultDictNode", "CachedNode", "NoNode",
]  # fmt: skip
OLD = [Path(__file__).parent / "fixtures" / "format_1" / f"{name}.mercer" for name in ("svc_rbf", "ridge_by_class")]
CONTENTS = [
    "null", "true", "-1", "0", "3", "1e999", "NaN", '"x"', "[]", "{}", "9" * 30, "99999999999999", "[[[]]]", "", "{",
    '"\\ud800"', '"os.system"', '"rbf(gamma=-1)"', '"user(<f>)"', '"' + "(" * 500 + '"', "[" * 3000,
]  # fmt: skip


def models() -> list[tuple[Any, Any]]:
    """Small fitted models of every kind of data, with new samples."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0], [0.5, 0.5], [3.5, 0.2]])
    y, words = [0, 0, 1, 1, 0, 1], ["GATTA", "TAT", "CCG", "GCCG", "ATTA", "CGC"]
    csr = sp.csr_matrix(X)
    trees = Trees([f"(S (A {word}) (B x))" for word in words])
    graphs = Graphs([[(0, 1), (1, 2)], [(0, 1)], [(0, 1), (1, 2), (2, 0)], (3, [(0, 2)]), [(0, 1)], [(0, 1), (1, 2)]])
    table = Table.from_frame({"age": X[:, 0], "word": words, "note": words}, kinds={"note": "text"})
    mixed = Columns("age", RBF(gamma=0.5)) + Columns("word", Delta()) + Columns("note", Spectrum(2))
    return [
        (SVC(kernel="rbf", random_state=np.random.RandomState(0)).fit(X, y), X),
        (KernelKNeighborsClassifier(2, kernel="rbf").fit(csr, y), csr),
        (SVC(kernel=Spectrum(2) + Subsequence(2)).fit(Strings(words), y), Strings(words)),
        (OneClassSVM(kernel=SubsetTree(), nu=0.5).fit(trees), trees),
        (SVC(kernel=WeisfeilerLehman(1) + ShortestPath(labeled=False)).fit(graphs, y), graphs),
        (SVC(kernel=mixed).fit(table, y), table),
        (KernelPerceptron(budget=3).partial_fit(X, y, classes=[0, 1]), X),
        (FeatureMap(Spectrum(2)).fit(words), words),
        (KernelRows(RBF(gamma=(1.0, 2.0))).fit(csr), csr),
    ]


class Mutator:
    """Changed copies of one file."""

    def __init__(self, data: bytes, rng: np.random.Generator) -> None:
        self.data, self.rng = data, rng
        with ZipFile(BytesIO(data)) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.arrays = [name for name in self.members if name.endswith(".npy")]

    def changed(self) -> bytes:
        """One way or another: bytes as they lie in the file, or members under a digest that is right."""
        inside = [self.schema, self.schema, self.schema, self.schema, self.array, self.array, self.manifest, self.names]
        return self.pick([self.flipped, self.cut, self.spliced, *inside])()

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    # ---- the bytes

    def flipped(self, data: bytes | None = None) -> bytes:
        out = bytearray(self.data if data is None else data)
        for _ in range(int(self.rng.integers(1, 9))):
            if out:
                out[int(self.rng.integers(len(out)))] ^= 1 << int(self.rng.integers(8))
        return bytes(out)

    def cut(self) -> bytes:
        return self.data[: int(self.rng.integers(len(self.data)))]

    def spliced(self, data: bytes | None = None) -> bytes:
        data = self.data if data is None else data
        a, b, c = sorted(int(i) for i in self.rng.integers(len(data) + 1, size=3))
        return self.pick([data[:a] + data[b:], data[:b] + data[a:], data[:a] + data[b:c] + data[a:b] + data[c:],
                          data[:a] + self.rng.bytes(int(self.rng.integers(1, 40))) + data[a:]])  # fmt: skip

    # ---- members, with a digest that fits

    def packed(self, changes: dict[str, bytes], compression: int = ZIP_STORED) -> bytes:
        members, buffer = {**self.members, **changes}, BytesIO()
        with ZipFile(buffer, "w", compression) as archive:
            for name, content in members.items():
                if name != MANIFEST:
                    archive.writestr(name, content)
        manifest = members[MANIFEST]
        with ZipFile(buffer, "a", compression) as archive:
            try:
                told = json.loads(manifest)
                if "digest" in told:
                    told["digest"] = _digest(archive, told)
                manifest = json.dumps(told).encode()
            except (ValueError, TypeError, AttributeError):
                pass
            archive.writestr(MANIFEST, manifest)
        return buffer.getvalue()

    def names(self) -> bytes:
        """Members left out, twice there, compressed, or exchanged."""
        match int(self.rng.integers(4)):
            case 0:
                kept = Mutator.__new__(Mutator)
                kept.__dict__.update(vars(self))
                dropped = self.pick(sorted(self.members))
                kept.members = {name: content for name, content in self.members.items() if name != dropped}
                return kept.packed({}) if dropped != MANIFEST else self.cut()
            case 1:
                return self.packed({"bomb.npy": bytes(100_000)}, ZIP_DEFLATED)
            case 2:
                return self.packed({self.pick(self.arrays): self.members[SCHEMA]} if self.arrays else {"x": b""})
        return self.packed({name: self.members[self.pick(self.arrays)] for name in self.arrays})

    def manifest(self) -> bytes:
        told = json.loads(self.members[MANIFEST])
        key = self.pick(list(told))
        told[key] = self.pick(
            [None, -1, 1, 2, 10**30, "x", [], {}, {"mercer": 1}, {"mercer": "x", "scikit-learn": ""}, 1.5]
        )
        return self.packed({MANIFEST: json.dumps(told).encode()})

    def array(self) -> bytes:
        """An array that is changed, endless, of objects, or a pickle."""
        if not self.arrays:
            return self.schema()
        name = self.pick(self.arrays)
        content = self.members[name]
        header, body = content[:128], content[128:]
        array = np.load(BytesIO(content))
        buffer = BytesIO()
        match int(self.rng.integers(9)):
            case 0:
                return self.packed({name: self.flipped(content)})
            case 1:
                return self.packed({name: header + self.flipped(body)})
            case 2:
                return self.packed({name: self.spliced(content)})
            case 3:  # a larger shape than there are bytes
                shape = self.pick([(10**12,), (2**31, 2**31), (10**18,), (-1,), (0, 10**18), (2**62, 4)])
                np.lib.format.write_array_header_1_0(
                    buffer, {"descr": array.dtype.str, "fortran_order": False, "shape": shape}
                )
                buffer.write(body)
            case 4:  # a pickle that would run something
                objects = np.empty(2, dtype=object)
                objects[:] = [Trap(), Trap()]
                np.save(buffer, objects, allow_pickle=True)
            case 5:
                dtype = self.pick(["V0", "U0", "f4", "i1", "u8", "c16", "M8[s]", "S3", "f2", ">f8", "i8,f8"])
                np.save(buffer, np.zeros(array.shape, dtype=dtype))
            case 6:
                np.save(
                    buffer,
                    self.pick([array[:-1], array[:, None] if array.ndim == 1 else array.ravel(), array[:0]])
                    if array.ndim
                    else array.reshape(1),
                )
            case 7:
                values = self.pick([-1, 0, 1, 2**31 - 1, -(2**31), 10**6, 255])
                np.save(buffer, np.full(array.shape, values).astype(array.dtype, casting="unsafe"))
            case 8:
                pickle.dump(Trap(), buffer)
        return self.packed({name: buffer.getvalue()})

    def schema(self) -> bytes:
        tree = json.loads(self.members[SCHEMA])
        for _ in range(int(self.rng.integers(1, 3))):
            self.change(tree)
        return self.packed({SCHEMA: json.dumps(tree).encode()})

    def change(self, tree: Any) -> None:
        """One node of the tree, in place."""
        nodes = [node for node in _walk(tree) if isinstance(node, dict)]
        node, other = self.pick(nodes), self.pick(nodes)
        module, name = self.pick(NAMES)
        match int(self.rng.integers(12)):
            case 0 | 1:
                node.update(__module__=module, __class__=name)
            case 2:
                node["__loader__"] = self.pick(LOADERS)
            case 3:
                node.update(__module__=module, __class__=name, __loader__=self.pick(LOADERS))
            case 4:
                inserted = copy.deepcopy(other)
                node.clear()
                node.update(inserted)
            case 5 if node:
                del node[self.pick(list(node))]
            case 6 | 7:
                leaves = [n for n in nodes if n.get("__loader__") == "JsonNode"]
                self.pick(leaves or nodes)["content"] = self.pick(CONTENTS)
            case 8:
                node["__id__"] = other.get("__id__", self.pick([None, "x", [], -1, 10**40]))
            case 9:
                node["file"] = self.pick([*self.members, "../x", "", None, 3])
            case 10 if node:
                node[self.pick(list(node))] = self.pick(
                    [None, 0, -1, "", [], {}, "os", [[]], 10**30, copy.deepcopy(other)]
                )
            case _:
                inserted = self.trap(self.pick(LOADERS), module, name)
                node.clear()
                node.update(inserted)

    def trap(self, loader: str, module: str, name: str) -> dict[str, Any]:
        """A node that would run a command if it were built."""
        text = _node("JsonNode", "builtins", "str", -2, content='"echo"')
        texts = _node("TupleNode", "builtins", "tuple", -3, content=[text])
        called = _node("FunctionNode", module, name, -4)
        partial = {"func": called, "args": texts, "kwds": texts, "namespace": text}
        content = self.pick([texts, partial, {"func": "system", "obj": called}, {"echo": text}, [text], "echo"])
        return _node(
            loader,
            module,
            name,
            -1,
            content=content,
            attrs=texts,
            shape=texts,
            key_types=_node("ListNode", "builtins", "list", -5, content=[called]),
            type=self.pick(["numpy", "json", "scipy"]),
            file=self.pick([*self.members]),
            __reduce__={"args": texts},
        )


class Trap:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.system, ("echo",)


def _node(loader: str, module: str, name: str, number: int, **more: Any) -> dict[str, Any]:
    return {"__class__": name, "__module__": module, "__loader__": loader, "__id__": number, **more}


def _walk(value: Any) -> Any:
    yield value
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, dict | list):
            yield from _walk(child)


def run(shard: int, count: int) -> dict[str, Any]:
    """Load `count` changed files; what came of them."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(shard)
    found: dict[str, Any] = {"refused": 0, "loaded": 0, "answered": 0, "raised": 0, "wrong": [], "forbidden": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mercer"
        files = []
        for model, X in models():
            save(model, path)
            load(path)
            files.append((Mutator(path.read_bytes(), rng), X))
        files += [(Mutator(old.read_bytes(), rng), [[0.0, 1.0, 0.5]] * 6) for old in OLD]
        watching = False

        def watch(event: str, arguments: Any) -> None:
            if watching and event.startswith(FORBIDDEN):
                found["forbidden"].append(f"{event} {arguments}"[:200])

        sys.addaudithook(watch)
        signal.signal(signal.SIGALRM, _too_long)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for i in range(count):
            mutator, X = files[i % len(files)]
            path.write_bytes(mutator.changed())
            watching = True
            try:
                model = load(path)
            except ValueError:
                found["refused"] += 1
                continue
            except BaseException as error:
                found["wrong"].append(f"{type(error).__name__}: {error}"[:300])
                continue
            finally:
                watching = False
            found["loaded"] += 1
            signal.alarm(5)
            try:
                for name in ("predict", "decision_function", "transform", "partial_fit"):
                    if name == "partial_fit" and hasattr(model, name):
                        model.partial_fit(X, [0, 1] * 3)
                    elif hasattr(model, name):
                        getattr(model, name)(X)
                found["answered"] += 1
            except Exception:
                found["raised"] += 1  # as good as an answer
            finally:
                signal.alarm(0)
        found["grown"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return found


def _too_long(*_: Any) -> None:
    raise TimeoutError


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]))))
