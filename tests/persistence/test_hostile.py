"""Files that were written to do harm: each of them is refused, and says so."""

import copy
import json
import os
import pickle
import tempfile
from io import BytesIO
from zipfile import ZIP_DEFLATED

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF
from mercer.persistence import ModelFileError, UntrustedTypeError, about, load, save
from mercer.svm import SVC
from tests.persistence.fuzz import Mutator, Trap, _node

X, Y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1]
TEXT = _node("JsonNode", "builtins", "str", -2, content='"touch harm"')
ARGUMENTS = _node("TupleNode", "builtins", "tuple", -3, content=[TEXT])
SYSTEM = _node("FunctionNode", "os", "system", -4)
KEYS = _node("ListNode", "builtins", "list", -5, content=[SYSTEM])
DICT = _node(
    "DictNode", "builtins", "dict", -6, content={}, key_types=_node("ListNode", "builtins", "list", -7, content=[])
)
PARTS = {"func": SYSTEM, "args": ARGUMENTS, "kwds": DICT, "namespace": DICT, "bit_generator": DICT, "seed_seq": DICT}


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.mercer"
    save(SVC(kernel=RBF(gamma=0.5), random_state=np.random.RandomState(0)).fit(sp.csr_matrix(X), Y), path)
    yield path
    assert os.listdir(tmp_path) == ["model.mercer"]


def with_schema(path, change):
    """The file with a changed schema and a digest that fits."""
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    schema = json.loads(mutator.members["schema.json"])
    schema = change(schema) or schema
    path.write_bytes(mutator.packed({"schema.json": json.dumps(schema).encode()}))


def attributes(schema):
    return schema["content"]["content"]


NODES = {
    "function": SYSTEM,
    "eval": _node("FunctionNode", "builtins", "eval", -1),
    "type": _node("TypeNode", "subprocess", "Popen", -1),
    "constructor": _node("ConstructorFromReduceNode", "os", "system", -1, content=ARGUMENTS),
    "process": _node("ConstructorFromReduceNode", "subprocess", "Popen", -1, content=ARGUMENTS),
    "object": _node("ObjectNode", "subprocess", "Popen", -1, content=DICT),
    "list": _node("ListNode", "os", "system", -1, content=[TEXT]),
    "tuple": _node("TupleNode", "subprocess", "Popen", -1, content=[TEXT]),
    "dict": _node("DictNode", "os", "system", -1, content={"touch harm": TEXT}, key_types=KEYS),
    "keys": _node("DictNode", "builtins", "dict", -1, content={"touch harm": TEXT}, key_types=KEYS),
    "set": _node("SetNode", "os", "system", -1, content=[TEXT]),
    "method": _node("MethodNode", "os", "system", -1, content={"obj": SYSTEM, "func": "__call__"}),
    "partial": _node("PartialNode", "functools", "partial", -1, content=PARTS),
    "operator": _node("OperatorFuncNode", "operator", "methodcaller", -1, attrs=ARGUMENTS),
    "loss": _node("LossNode", "os", "system", -1, content=DICT, __reduce__={"args": ARGUMENTS}),
    "tree": _node("TreeNode", "os", "system", -1, content=DICT, __reduce__={"args": ARGUMENTS}),
    "array": _node("NdArrayNode", "os", "system", -1, type="numpy", file="schema.json"),
    "objects": _node("NdArrayNode", "numpy", "ndarray", -1, type="json", content=[TEXT], shape=ARGUMENTS),
    "sparse": _node("SparseMatrixNode", "scipy.sparse._csr", "csr_matrix", -1, type="scipy", file="schema.json"),
    "generator": _node("RandomGeneratorNode", "numpy.random._generator", "Generator", -1, content=PARTS),
    "kernel": _node("ObjectNode", "mercer.kernels", "User", -1, content=DICT),
    "strings": _node("ObjectNode", "mercer.data", "Strings", -1, content=DICT),
    "matrix": _node("ObjectNode", "scipy.sparse._csr", "csr_matrix", -1, content=DICT),
    "estimator by a call": _node("ConstructorFromReduceNode", "mercer.svm", "SVC", -1, content=ARGUMENTS),
    "estimator as a list": _node("ListNode", "mercer.svm", "SVC", -1, content=[TEXT]),
    "unknown": _node("PickleNode", "os", "system", -1, content=TEXT),
}


@pytest.mark.parametrize("name", NODES)
def test_nothing_runs(name, path):
    for place in ("random_state", "C"):
        with_schema(path, lambda schema, place=place: attributes(schema).update({place: copy.deepcopy(NODES[name])}))
        with pytest.raises(ValueError, match=r"load: .*model\.mercer (contains untrusted types|is damaged)"):
            load(path)


@pytest.mark.parametrize("name", ["function", "type", "object", "estimator by a call", "kernel", "strings", "matrix"])
def test_what_is_asked_for_is_named(name, path):
    with_schema(path, lambda schema: attributes(schema).update(C=copy.deepcopy(NODES[name])))
    node = NODES[name]
    with pytest.raises(UntrustedTypeError) as caught:
        load(path)
    assert caught.value.types == (f"{node['__module__']}.{node['__class__']}",)
    assert about(path)["untrusted"] == [*caught.value.types]


def test_the_whole_may_not_be_a_function_either(path):
    with_schema(path, lambda schema: {**schema, **SYSTEM})
    with pytest.raises(UntrustedTypeError, match=r"os\.system"):
        load(path)


def test_numbers_of_objects_may_not_lie(path):
    """skops takes the first object of a number for all: a harmless one may not stand for another."""

    def change(schema):
        found = attributes(schema)
        found["degree"] = copy.deepcopy(KEYS)
        found["C"] = copy.deepcopy(DICT)
        found["C"]["key_types"]["__id__"] = KEYS["__id__"]

    with_schema(path, change)
    with pytest.raises(ValueError, match="is damaged: two objects have the same id"):
        load(path, trusted=["os.system"])


def test_small_files_do_not_stand_for_endless_ones(path):
    def nested(depth):
        node = _node("ListNode", "builtins", "list", -100, content=[])
        for level in range(depth):
            again = _node("ListNode", "builtins", "list", node["__id__"], content=[])
            node = _node("ListNode", "builtins", "list", -101 - level, content=[node, *[again] * 9])
        return node

    with_schema(path, lambda schema: attributes(schema).update(C=nested(60)))
    with pytest.raises(ValueError, match="two objects have the same id"):
        load(path)


def test_what_contains_itself(path):
    inner = _node("ListNode", "builtins", "list", -9, content=[])
    with_schema(
        path, lambda schema: attributes(schema).update(C=_node("ListNode", "builtins", "list", -9, content=[inner]))
    )
    with pytest.raises(ValueError, match="two objects have the same id"):
        load(path)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "", "[]", "null", "3", '"x"', "{", '{"protocol": 99}']
)
def test_a_schema_that_is_none(text, path):
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    path.write_bytes(mutator.packed({"schema.json": text.encode()}))
    for read in (load, about):
        with pytest.raises(ValueError, match="is damaged"):
            read(path)


@pytest.mark.parametrize("protocol", [0, 1, 99, -1, True, None, "2"])
def test_other_protocols(protocol, path):
    with_schema(path, lambda schema: {**schema, "protocol": protocol})
    with pytest.raises(ValueError, match="is damaged"):
        load(path)


# ---- arrays


def with_array(path, content):
    """The file with one array replaced, and a digest that fits."""
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    path.write_bytes(mutator.packed({mutator.arrays[0]: content}))


def header(shape, descr="<f8", body=b""):
    buffer = BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": descr, "fortran_order": False, "shape": shape})
    return buffer.getvalue() + body


@pytest.mark.parametrize(
    "shape", [(10**12,), (2**31, 2**31), (2**62, 4), (10**30,), (-1,), (0, 10**18), (1,), (2,), (True,)], ids=str
)
def test_arrays_are_as_long_as_they_say(shape, path):
    with_array(path, header(shape, body=bytes(12)))
    with pytest.raises(ValueError, match=r"is damaged: (an array is not as long|.*)"):
        load(path)


@pytest.mark.parametrize("descr", ["|O", "V0", "<U0", "|S0", [("a", "<f8")], ("<f8", (10**9,)), "x", 3])
def test_arrays_of_odd_types(descr, path):
    with_array(path, header((0,), descr))
    with pytest.raises(ValueError, match="is damaged"):
        load(path)


def test_pickles_are_never_read(path):
    objects = np.empty(1, dtype=object)
    objects[0] = Trap()
    buffer = BytesIO()
    np.save(buffer, objects, allow_pickle=True)
    archive = BytesIO()
    np.savez(archive, a=np.zeros(3))
    for content in (buffer.getvalue(), pickle.dumps(Trap()), archive.getvalue(), b"", b"\x93NUMPY"):
        with_array(path, content)
        with pytest.raises(ValueError, match="is damaged"):
            load(path)


def test_compressed_members_are_refused_before_they_are_read(path):
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    path.write_bytes(mutator.packed({"bomb": bytes(50_000_000)}, ZIP_DEFLATED))
    assert path.stat().st_size < 200_000
    with pytest.raises(ValueError, match="is damaged: a member is compressed or encrypted"):
        load(path)


def test_members_are_no_larger_than_the_file(path):
    whole = path.read_bytes()
    directory = whole.index(b"PK\x01\x02")  # sizes of the first member in the directory
    huge = (2**31).to_bytes(4, "little")
    path.write_bytes(whole[: directory + 20] + 2 * huge + whole[directory + 28 :])
    with pytest.raises(ValueError, match="its members are larger than the file"):
        load(path)


# ---- states that constructors refuse


def stored(schema, kind):
    """The states of all objects of a kind."""
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict) and value.get("__class__") == "Stored":
            found = value["content"]["content"]
            if json.loads(found["kind"]["content"]) == kind:
                yield found["state"]["content"]
        stack += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []


def test_a_sparse_matrix_that_points_outside(path):
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    states = list(stored(json.loads(mutator.members["schema.json"]), "sparse matrix"))
    assert len(states) == 2  # support vectors and coefficients
    for state in states:
        buffer = BytesIO()
        file = state["indices"]["file"]
        np.save(buffer, np.load(BytesIO(mutator.members[file])) + 10**6)
        path.write_bytes(mutator.packed({file: buffer.getvalue()}))
        with pytest.raises(ValueError, match="is damaged"):
            load(path)


def test_a_random_state_that_points_outside(path):
    with_schema(path, lambda schema: next(stored(schema, "random state"))["pos"].update(content="700"))
    with pytest.raises(ValueError, match="is damaged: the position of a random state is out of range"):
        load(path)


TEXTS = ["rbf(gamma=-1)", "user(<f>)", "__import__('os').system('touch harm')", "rbf + exp(" * 90]
TEXTS += ["(" * 100_000, "-" * 100_000 + "rbf", "rbf" + " + rbf" * 150_000, "exp(" * 900 + "rbf" + ")" * 900]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{text[:20]}-{len(text)}")
def test_texts_of_kernels_are_parsed_not_evaluated(text, path):
    def change(schema):
        for state in stored(schema, "kernel"):
            state["text"]["content"] = json.dumps(text)

    with_schema(path, change)
    with pytest.raises(ValueError, match=r"model\.mercer"):
        load(path)


@pytest.mark.skipif(os.name == "nt", reason="no named pipes")
@pytest.mark.parametrize("call", [load, about])
def test_what_is_not_a_file_is_refused_at_once(path, tmp_path, call):
    """Reading from a pipe would wait for a writer, and reading from a device would never end."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(f"{folder}/pipe")
        for place, kind in {f"{folder}/pipe": "a named pipe", "/dev/zero": "a device", folder: "a folder"}.items():
            with pytest.raises(ModelFileError, match=f"{call.__name__}: {place}: is {kind}, expected a regular file"):
                call(place)
