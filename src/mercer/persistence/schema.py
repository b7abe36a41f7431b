"""Validation of the schema of a file before skops builds its objects.

skops builds only trusted types. This module checks what skops does not: that every trusted type is built by the node
for its kind, that arrays are not larger than their members, and that no object contains itself.
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

KINDS = "biufcSUMm"  # kinds of dtypes that are stored without conversion

_OLDEST = 2  # oldest protocol of skops that is read
_STORED = "mercer.persistence.Stored"

# Nodes of files, each with the names that it may build without further trust; None leaves the check to skops.
_NODES: dict[str, frozenset[str] | None] = {
    "DictNode": frozenset(["builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"]),
    "ListNode": frozenset(["builtins.list"]),
    "TupleNode": frozenset(["builtins.tuple"]),
    "NdArrayNode": frozenset(["numpy.ndarray"]),  # and NumPy scalars
    "ConstructorFromReduceNode": frozenset(),
    "OperatorFuncNode": frozenset(),
    **dict.fromkeys(("JsonNode", "SliceNode", "TypeNode", "FunctionNode", "MethodNode", "PartialNode"), None),
    **dict.fromkeys(("ObjectNode", "DefaultDictNode", "DTypeNode", "LossNode", "TreeNode"), None),
}
_OWN = {"ObjectNode", "FunctionNode", "TypeNode", "DictNode"}  # nodes that may build names of TRUSTED_TYPES
_KEYS = {("TypeNode", f"builtins.{name}") for name in ("str", "int", "float")}  # called with values of the file
_UNEQUAL = {"__id__", "file"}  # entries that may differ between copies of one object
_TRUSTED = frozenset(TRUSTED_TYPES)


@dataclass
class Contents:
    """Contents of a file.

    Attributes
    ----------
    model : str
        Class of the model.
    classes : set of str
        Names of all classes and functions.
    built : set of str
        Names that skops builds; the others are restored from `Stored`.
    kernels : list of str
        Distinct text forms of kernels, in order.
    untrusted : set of str
        Names that are not trusted; skops may reject more.
    kernel_classes : set of str
        Classes of kernels that are not stored by their text form alone.
    n_arrays : int
        Number of arrays.
    array_bytes : int
        Total size of the arrays.
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
        """Record the class that a node builds, and the text form of a kernel."""
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
    """Validate the schema of a file; raise ValueError if it is not valid.

    Parameters
    ----------
    schema : dict
        Schema written by skops.
    sizes : dict of str to int
        Sizes of the other members of the file in bytes.
    open_member : callable
        Opens a member for reading.
    trusted : collection of str, default=()
        Names that may be built in any way.

    Returns
    -------
    Contents
        Contents of the file.
    """
    need(type(schema) is dict and type(schema.get("protocol")) is int, "its schema is not valid")
    need(schema["protocol"] >= _OLDEST, f"its schema has protocol {schema['protocol']}, expected {_OLDEST} or later")
    contents = Contents()
    known: dict[int, int] = {}
    arrays: dict[str, tuple[str, bool]] = {}  # by member: name of the entry type, and whether it is a scalar
    for node, form in _nodes(schema):
        loader, name = _identity(node)
        number = node.get("__id__")
        # skops uses the first of several nodes with the same id for all of them. Nodes with the same id must therefore
        # be equal, so that the validated node is the one that is built, and a small file cannot expand endlessly.
        need(type(number) is int and known.setdefault(number, form) == form, "two objects have the same id")
        allowed = _NODES[loader]
        match loader:
            case "JsonNode":
                need(type(node.get("content")) is str, "a value is not text")
                continue
            case "DictNode":
                need(all(_identity(key) in _KEYS for key in _children(node, "key_types")), "a key has a wrong type")
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
    """All nodes in the order of the file, each with a hash of its contents except ids and file names."""
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
    """Kind of a node, and name of the type that it builds."""
    need(type(node) is dict, "a part of its schema is not valid")
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    need(type(loader) is type(module) is type(name) is str and loader in _NODES, f"{loader!r} is not a known node")
    return str(loader), f"{module}.{name}"


def _children(node: Any, key: str) -> list[Any]:
    child = node.get(key)
    need(type(child) is dict and type(child.get("content")) is list, "a part of its schema is not valid")
    return list(child["content"])


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether entries are numbers or texts of nonzero size, or records of these."""
    if dtype.names is not None:
        return all(is_plain(dtype[name]) for name in dtype.names) and dtype.itemsize > 0
    return dtype.kind in KINDS and dtype.itemsize > 0


def _array_type(file: IO[bytes], size: int) -> tuple[str, bool]:
    """Name of the entry type of an array, and whether it is a scalar; the size of the member is checked."""
    with file:
        version = np.lib.format.read_magic(file)
        need(version in ((1, 0), (2, 0)), f"an array is of version {version}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        left = size - file.tell()
    need(is_plain(dtype), f"an array has entries of type {dtype}")
    fits = all(n >= 0 for n in shape) and math.prod(shape) * dtype.itemsize == left
    need(fits, "the size of an array does not match its shape")
    return f"numpy.{dtype.type.__name__}", shape == ()


def _attribute(node: Any, *path: str, default: str | None = None) -> str:
    """Text attribute of an object."""
    try:
        for name in path:
            node = node["content"]["content"][name] if node["__loader__"] == "ObjectNode" else node["content"][name]
        value = json.loads(node["content"])
    except (KeyError, TypeError):
        value = default
    need(type(value) is str, f"an object has no {path[-1]}")
    return str(value)
