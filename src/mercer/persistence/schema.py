"""What a file is about to make skops do, looked at before skops is asked.

skops builds nothing of a type that is not trusted. Here is checked what it leaves open: that a trusted type is built in
the way its kind is meant to be, that arrays are no larger than the bytes that are there, that nothing contains itself.
"""

import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from mercer.persistence.kernels import known_kernels
from mercer.persistence.stored import need
from mercer.persistence.trusted import TRUSTED_TYPES

__all__ = ["KINDS", "Contents", "examine", "is_plain"]

KINDS = "biufcSUMm"  # of entries of arrays that are stored as they are

_OLDEST = 2  # protocol of skops; older ones have other nodes
_STORED = "mercer.persistence.Stored"

# The nodes that files have, each with the names that it builds without further trust; None leaves that to skops.
_NODES: dict[str, frozenset[str] | None] = {
    "DictNode": frozenset(["builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"]),
    "ListNode": frozenset(["builtins.list"]),
    "TupleNode": frozenset(["builtins.tuple"]),
    "NdArrayNode": frozenset(["numpy.ndarray"]),  # and NumPy's numbers
    "ConstructorFromReduceNode": frozenset(),
    "OperatorFuncNode": frozenset(),
    **dict.fromkeys(("JsonNode", "SliceNode", "TypeNode", "FunctionNode", "MethodNode", "PartialNode"), None),
    **dict.fromkeys(("ObjectNode", "DefaultDictNode", "DTypeNode", "LossNode", "TreeNode"), None),
}
_OWN = {"ObjectNode", "FunctionNode", "TypeNode", "DictNode"}  # the nodes that build names of TRUSTED_TYPES
_KEYS = {("TypeNode", f"builtins.{name}") for name in ("str", "int", "float")}  # are called with what a file says
_UNEQUAL = {"__id__", "file"}  # what may differ where one object is written twice
_TRUSTED = frozenset(TRUSTED_TYPES)


@dataclass
class Contents:
    """What a file holds.

    Attributes
    ----------
    model : str
        Class of the whole.
    classes : set of str
        Names of all classes and functions in it.
    built : set of str
        Those that skops builds; the others come from their `Stored`.
    kernels : list of str
        Texts of its kernels, each once, in order.
    untrusted : set of str
        Names that are built in a way that nobody has vouched for; skops may object to more.
    kernel_classes : set of str
        Of kernels that are not given by their text alone.
    n_arrays, array_bytes : int
    """

    model: str = ""
    classes: set[str] = field(default_factory=set)
    kernels: list[str] = field(default_factory=list)
    built: set[str] = field(default_factory=set)
    untrusted: set[str] = field(default_factory=set)
    kernel_classes: set[str] = field(default_factory=set)
    n_arrays: int = 0
    array_bytes: int = 0

    def note(self, node: Any, name: str) -> None:
        """Take down what a node builds: its class, the text of a kernel."""
        self.built.add(name)
        if name == _STORED:
            name, kind = (_attribute(node, key) for key in ("name", "kind"))
            if kind == "kernel":
                text = _attribute(node, "state", "text")
                self.kernels += [text] * (text not in self.kernels)
                self.kernel_classes |= {_attribute(node, "state", "class", default="")} - {""}
        self.model = self.model or name
        self.classes.add(name)


def examine(
    schema: Any, sizes: Mapping[str, int], open_member: Callable[[str], IO[bytes]], trusted: Collection[str] = ()
) -> Contents:
    """Look through the schema of a file; ValueError if it is not as mercer writes it.

    Parameters
    ----------
    schema : dict
        What skops has written.
    sizes : dict of str to int
        Bytes of the other members of the file.
    open_member : callable
        Opens one of them for reading.
    trusted : collection of str
        Names that may be built in any way.
    """
    need(type(schema) is dict and type(schema.get("protocol")) is int, "its schema is none")
    need(schema["protocol"] >= _OLDEST, f"its schema has protocol {schema['protocol']}, expected {_OLDEST} or later")
    contents = Contents()
    known: dict[int, int] = {}
    arrays: dict[str, tuple[str, bool]] = {}  # by file: name of the type of its entries, and whether it is one number
    for node, form in _nodes(schema):
        loader, name = _identity(node)
        number = node.get("__id__")
        # skops takes the first of several nodes with one number for all of them: what was looked at here must be what
        # is built, and a small file must not stand for an endless one.
        need(type(number) is int and known.setdefault(number, form) == form, "two objects have one number")
        allowed = _NODES[loader]
        match loader:
            case "JsonNode":
                need(type(node.get("content")) is str, "a value is no text")
                continue
            case "DictNode":
                need(all(_identity(key) in _KEYS for key in _children(node, "key_types")), "a key is no key")
            case "NdArrayNode":
                file = node.get("file")
                need(node.get("type") == "numpy" and file in sizes, "an array is missing")
                if file not in arrays:
                    arrays[file] = _array_type(open_member(file), sizes[file])
                entry, single = arrays[file]
                allowed = frozenset([entry]) if single and name != "numpy.ndarray" else allowed
        contents.note(node, name)
        built = allowed is None or name in allowed
        if not (built and (name not in _TRUSTED or loader in _OWN)) and name not in trusted:
            contents.untrusted.add(name)
    contents.untrusted |= contents.kernel_classes - known_kernels().keys() - set(trusted)
    contents.n_arrays, contents.array_bytes = len(arrays), sum(sizes[file] for file in arrays)
    return contents


def _nodes(schema: Any) -> Iterator[tuple[Any, int]]:
    """All nodes in the order in which they are written, each with a hash of all that is in it but numbers and files."""
    forms: dict[int, int] = {}

    def form(value: Any) -> int:
        if type(value) is list:
            return hash((list, *map(form, value)))
        if type(value) is dict:
            forms[id(value)] = hash(tuple((key, form(value[key])) for key in value if key not in _UNEQUAL))
            return forms[id(value)]
        return hash((type(value), value))

    form(schema)
    stack = [schema]
    while stack:
        value = stack.pop()
        if type(value) is dict and "__loader__" in value:
            yield value, forms[id(value)]
        children = value.values() if type(value) is dict else value
        stack += reversed([child for child in children if type(child) in (dict, list)])


def _identity(node: Any) -> tuple[str, str]:
    """Kind of a node and name of what it builds."""
    need(type(node) is dict, "a part of its schema is none")
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    need(type(loader) is type(module) is type(name) is str and loader in _NODES, f"{loader!r} is no kind of node")
    return str(loader), f"{module}.{name}"


def _children(node: Any, key: str) -> list[Any]:
    child = node.get(key)
    need(type(child) is dict and type(child.get("content")) is list, "a part of its schema is none")
    return list(child["content"])


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether entries are numbers or texts of some length, or records of these."""
    if dtype.names is not None:
        return all(is_plain(dtype[name]) for name in dtype.names) and dtype.itemsize > 0
    return dtype.kind in KINDS and dtype.itemsize > 0


def _array_type(file: IO[bytes], size: int) -> tuple[str, bool]:
    """Name of the type of the entries of an array, and whether it is a single one; its bytes must all be there."""
    with file:
        version = np.lib.format.read_magic(file)
        need(version in ((1, 0), (2, 0)), f"an array is of version {version}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        left = size - file.tell()
    need(is_plain(dtype), f"an array has entries of type {dtype}")
    need(all(n >= 0 for n in shape) and math.prod(shape) * dtype.itemsize == left, "an array is not as long as it says")
    return f"numpy.{dtype.type.__name__}", shape == ()


def _attribute(node: Any, *path: str, default: str | None = None) -> str:
    """A text among the attributes of an object."""
    try:
        for name in path:
            node = node["content"]["content"][name] if node["__loader__"] == "ObjectNode" else node["content"][name]
        value = json.loads(node["content"])
    except (KeyError, TypeError):
        value = default
    need(type(value) is str, f"an object has no {path[-1]}")
    return str(value)
