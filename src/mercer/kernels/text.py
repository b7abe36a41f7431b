"""Text form of kernels: ``kernel("rbf(gamma=0.1)*poly(degree=2) + 0.5*linear")``.

The text has the grammar of Python expressions and is parsed by Python's parser. The syntax tree is walked node by node
and never evaluated. Only registered names, numbers, quoted words, lists, ``+ - * / **`` and ``[columns]`` are accepted.

The text is read as written: ``1*k`` and ``2*(3*k)`` keep their nodes, so that ``kernel(str(k)) == k``. Only factors
outside parentheses are collected: ``2*a*b`` is ``2*(a*b)``, as in Python.
"""

import ast
import dataclasses
import math
import operator
import re
import warnings
from collections.abc import Callable
from typing import Any

from mercer._validation import describe, is_number, shortened
from mercer._words import proper_name
from mercer.exceptions import KernelSyntaxError
from mercer.kernels.algebra import Product, Scaled, multiply, scale
from mercer.kernels.around import Columns
from mercer.kernels.base import Kernel
from mercer.kernels.closure import PolynomialOf, PowerOf
from mercer.kernels.dot import Polynomial
from mercer.kernels.keywords import advice, nearest
from mercer.kernels.registry import ALIASES, TEXTLESS, parameters, registered

__all__ = ["kernel", "kernel_of_file"]

MAX_LENGTH = 1_000_000
WIDTH = 72  # number of characters shown around an error
HINT = "expected kernels joined by + - * / **, such as rbf(gamma=0.1)[age] + 0.5*linear"

_CLOSED = re.compile(rb"\s*\)")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda a, b: float(a) ** float(b),  # powers of integers could be huge
}


def kernel(text: str | Kernel) -> Kernel:
    """Build a kernel from its text form.

    Parameters
    ----------
    text : str or Kernel
        Registered names with parameters (``rbf(gamma=0.1)``, ``rbf(gamma=[1, 2])``, ``rbf(gamma='median')``), joined by
        ``+ - * / **`` and numbers; ``exp(k)``, ``normalized(k)``, ``polynomial(k, coefficients=[1, 0, 2])``; columns in
        brackets (``k[age, income]``, ``k["two words"]``, ``k[0, -1]``, ``k[2:5]``). The command ``mercer kernels``
        lists the names; :ref:`kernel-names` explains what they mean as ``kernel=`` of an estimator. A kernel is
        returned unchanged.

    Returns
    -------
    Kernel
        The kernel.

    Raises
    ------
    KernelSyntaxError
        If the text is invalid. The message shows the text, marks the position and suggests the nearest known name.

    See Also
    --------
    registered : All names of the text form.
    register : Add a kernel class.

    Examples
    --------
    >>> k = kernel("0.5*rbf(gamma=0.1)[age, income] + delta[city]")
    >>> print(k)
    0.5*rbf(gamma=0.1)[age, income] + delta[city]
    >>> kernel("rbf + linaer")
    Traceback (most recent call last):
        ...
    mercer.exceptions.KernelSyntaxError: kernel: unknown name 'linaer'; did you mean 'linear'?
      rbf + linaer
            ^
    """
    if isinstance(text, Kernel):
        return text
    if not isinstance(text, str):
        raise TypeError(f"kernel: expected a text or a Kernel, got {describe(text)}.")
    if len(text) > MAX_LENGTH:
        raise KernelSyntaxError(
            f"kernel: the text has {len(text)} characters, expected at most {MAX_LENGTH}; build this kernel in Python."
        )
    try:
        return _Reader(text, other_words=False).read()
    except (RecursionError, MemoryError):
        message = "kernel: the text is nested too deeply; build this kernel in Python."
        raise KernelSyntaxError(message) from None


def kernel_of_file(text: str) -> Kernel:
    """Build a kernel from a text that an earlier version may have written. Former parameter names are translated.

    >>> from mercer.kernels import Graphlet
    >>> kernel_of_file("graphlet(n_samples=100, seed=3)") == Graphlet(n_samples=100, random_state=3)
    True
    """
    return _Reader(text, other_words=True).read()


class _Reader:
    """Parser of one text."""

    def __init__(self, text: str, *, other_words: bool) -> None:
        self.other_words = other_words
        self.text = re.sub(r"[\n\r\t\f]", " ", text).strip()
        self.bytes = self.text.encode(errors="replace")  # ast counts columns in bytes
        self.names = registered()

    def read(self) -> Kernel:
        """Parse the text."""
        if not self.text:
            raise KernelSyntaxError(f"kernel: the text is empty; {HINT}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # turns warnings about literals into errors
                root = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise self.explain(error) from None
        rest = self.bytes[root.end_col_offset :]
        if b"#" in rest:
            raise self.error(len(self.text) - len(rest.decode()), "comments are not allowed")
        return self.kernel(root)

    # ---- values

    def kernel(self, node: ast.expr) -> Kernel:
        """Value of a node that must be a kernel."""
        value = self.value(node)
        if is_number(value):
            shown = describe(value)
            raise self.error(node, f"expected a kernel, got the number {shown}; write constant(value={shown})")
        if not isinstance(value, Kernel):
            raise self.error(node, f"expected a kernel, got {describe(value)}")
        return value

    def value(self, node: ast.expr) -> Any:
        """Value of a node: a kernel, a number, a string, a list, a bool or None."""
        match node:
            case ast.Name():
                return self.build(node, node, [], {})
            case ast.Call():
                return self.call(node)
            case ast.BinOp():
                return self.chain(node)
            case ast.Subscript():
                return self.make(node, Columns, self.columns(node), self.kernel(node.value))
            case ast.List() | ast.Tuple():
                return [self.value(item) for item in node.elts]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign):
                operand = self.operand(node.operand)
                return -operand if isinstance(sign, ast.USub) else operand
            case ast.Constant(value=bool() | str() | None as word):
                return word
            case ast.Constant(value=int() | float() as literal):
                return self.number(node, lambda: literal)
            case ast.Attribute():
                hint = "write normalized(k) for k.normalized()"
                raise self.error(node, f"attributes are not allowed; {hint}")
        raise self.error(node, f"this is not part of the text form; {HINT}")

    def operand(self, node: ast.expr) -> Any:
        """Value of a node that must be a kernel or a number."""
        value = self.value(node)
        if not (isinstance(value, Kernel) or is_number(value)):
            raise self.error(node, f"expected a kernel or a number, got {describe(value)}")
        return value

    def number(self, node: ast.expr, compute: Callable[[], Any]) -> Any:
        """Computed number, or an error if it is not finite and real."""
        try:
            value = compute()
            if math.isfinite(value):
                return value
        except (ArithmeticError, TypeError):  # overflow, division by zero, a complex root
            pass
        raise self.error(node, "this is not a finite real number")

    # ---- operators

    def chain(self, node: ast.BinOp) -> Any:
        """Value of a chain of operators, by a loop from its left end, because a sum may have many terms."""
        links: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            links.append(first)
            first = first.left
        value = self.operand(first)
        for link in reversed(links):
            value = self.join(link, value, self.operand(link.right))
        return value

    def join(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        """Value of one binary operation."""
        apply = _OPERATORS.get(type(node.op))
        if apply is None:
            raise self.error(node, f"this operator is not allowed; {HINT}")
        if is_number(left) and is_number(right):
            return self.number(node, lambda: apply(left, right))
        match node.op:
            case ast.Mult():
                return self.product(node, left, right)
            case ast.Pow() if is_number(right):
                return self.make(node, PowerOf, left, right)
            case ast.Div() if is_number(right):
                return self.make(node, scale, self.number(node, lambda: 1 / right), left)
            case ast.Div() | ast.Pow():
                raise self.error(node.right, "expected a number here, got a kernel")
        return apply(left, right)

    def product(self, node: ast.BinOp, left: Any, right: Any) -> Kernel:
        """Product of two values. A multiple outside parentheses passes its factor to the whole product."""
        closed = _CLOSED.match(self.bytes, node.left.end_col_offset or 0)
        loose_left = isinstance(left, Scaled) and not closed
        loose_right = isinstance(right, Scaled) and isinstance(node.right, ast.UnaryOp)
        if is_number(left):
            return self.make(node, scale if loose_right else Scaled, left, right)
        if is_number(right):
            return self.make(node, scale if loose_left else Scaled, right, left)
        return multiply(left, right) if loose_left or loose_right else Product((left, right))

    def columns(self, node: ast.Subscript) -> list[int | str | slice]:
        """Columns in brackets."""
        items = node.slice.elts if isinstance(node.slice, (ast.Tuple, ast.List)) else [node.slice]
        columns: list[int | str | slice] = []
        for item in items:
            match item:
                case ast.Name():  # read the original bytes, because the parser normalises identifiers
                    name = self.bytes[item.col_offset : item.end_col_offset]
                    columns.append(name.decode())
                case ast.Constant(value=str() as label):
                    columns.append(label)
                case ast.Slice():
                    ends = (item.lower, item.upper, item.step)
                    columns.append(slice(*(None if end is None else self.position(end) for end in ends)))
                case _:
                    columns.append(self.position(item))
        return columns

    def position(self, node: ast.expr) -> int:
        """Column index."""
        match node:
            case ast.Constant(value=int() as index) if not isinstance(index, bool):
                return index
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as index)):
                return -index
        raise self.error(node, "expected column names, indices or slices: k[age, 0, 2:5, 'two words']")

    # ---- names

    def call(self, node: ast.Call) -> Kernel:
        """Kernel from a name with parameters in parentheses."""
        if isinstance(node.func, ast.Attribute):
            self.value(node.func)
        if not isinstance(node.func, ast.Name):
            raise self.error(node.func, "only names take parameters in parentheses")
        for item in (*node.args, *node.keywords):
            double = isinstance(item, ast.keyword) and item.arg is None
            if isinstance(item, ast.Starred) or double:
                raise self.error(item, "* and ** in front of parameters are not allowed")
        self.known(node.func)
        options: dict[str, Any] = {}
        for option in node.keywords:
            name = str(option.arg)
            if name in options:
                raise self.error(option, f"parameter {shortened(name)} is given twice")
            if isinstance(option.value, ast.Name) and not self.is_known(option.value.id):
                hint = f"quote strings: {shortened(name)}={shortened(option.value.id)!r}"
                raise self.error(option.value, f"expected a value for {shortened(name)}; {hint}")
            options[name] = self.value(option.value)
        return self.build(node, node.func, [self.value(item) for item in node.args], options)

    def is_known(self, name: str) -> bool:
        """Whether a name is registered or an alias."""
        return name in self.names or name in ALIASES

    def known(self, node: ast.Name) -> type[Kernel]:
        """Kernel class of a name."""
        name = ALIASES.get(node.id, node.id)
        if name in self.names:
            return self.names[name]
        if name in TEXTLESS:
            raise self.error(node, _textless(name))
        hint = nearest(name, (*self.names, *ALIASES))
        hint = hint or "; the command `mercer kernels` lists the names"
        raise self.error(node, f"unknown name {shortened(name)!r}{hint}")

    def build(self, node: ast.expr, head: ast.Name, values: list[Any], options: dict[str, Any]) -> Kernel:
        """Kernel from a name, positional and named parameters."""
        cls = self.known(head)
        if cls in (Polynomial, PolynomialOf):  # both names mean either class, depending on the arguments
            of_kernel = "kernel" in options or any(isinstance(v, Kernel) for v in values[:1])
            cls = PolynomialOf if of_kernel else Polynomial
        fields = parameters(cls)
        if self.other_words:
            options = {proper_name(name, fields) or name: value for name, value in options.items()}
        who, known = head.id, f"it has {', '.join(fields) or 'none'}"
        if len(values) > len(fields):
            raise self.error(node, f"{who} got too many parameters, {len(values)}; {known}")
        for name in options:
            if name not in fields:
                place = next(o for o in node.keywords if o.arg == name)  # type: ignore[attr-defined]
                what = f"{who} has no parameter {shortened(name)!r}, {known}{advice(cls, name, fields)}"
                raise self.error(place, what)
        given = {**dict(zip(fields, values, strict=False)), **options}
        if len(given) < len(values) + len(options):
            raise self.error(node, f"{who} got a parameter twice, by position and by name; {known}")
        for name, field in fields.items():
            required = field.default is field.default_factory is dataclasses.MISSING
            if required and name not in given:
                raise self.error(node, f"{who} needs a value for {name}: {who}({name}=...)")
        return self.make(node, cls, **given)

    # ---- results and errors

    def make(self, node: ast.expr, build: Callable[..., Kernel], *values: Any, **options: Any) -> Kernel:
        """Call a constructor. Errors about its parameters keep their message and get the position as a note."""
        try:
            return build(*values, **options)
        except (TypeError, ValueError) as error:
            error.add_note(self.mark(self.column(node)))
            raise

    def explain(self, error: SyntaxError | ValueError) -> KernelSyntaxError:
        """Syntax error with the message of Python's parser, or the reason why a printed kernel has no text form."""
        for name in TEXTLESS:
            printed = re.search(rf"\b{name}\(<", self.text)
            if printed:
                return self.error(printed.start(), _textless(name))
        reason, place = str(error), 0
        if isinstance(error, SyntaxError):
            reason, place = error.msg, (error.offset or 0) - 1
        place = place if place >= 0 else len(self.text)
        return self.error(place, f"{reason.partition(':')[0]}; {HINT}")

    def error(self, place: ast.AST | int, message: str) -> KernelSyntaxError:
        """Syntax error with the text and a mark under the position."""
        column = place if isinstance(place, int) else self.column(place)
        return KernelSyntaxError(f"kernel: {message}\n{self.mark(column)}")

    def column(self, node: ast.AST) -> int:
        """Column of a node in characters."""
        return len(self.bytes[: node.col_offset].decode())  # type: ignore[attr-defined]

    def mark(self, column: int) -> str:
        """The text with a mark under a column; a long text is cut around it."""
        column = min(column, len(self.text))
        start = max(0, min(column - WIDTH // 2, len(self.text) - WIDTH))
        end = start + WIDTH
        text = self.text[start:end].encode(errors="replace").decode()  # always printable
        shown = ("…" if start else "") + text + ("…" if end < len(self.text) else "")
        return f"  {shown}\n  {' ' * (column - start + bool(start))}^"


def _textless(name: str) -> str:
    """Message for kernels that contain a Python function."""
    hint = f"build it in Python: {TEXTLESS[name]}"
    return f"{name} contains a Python function and has no text form; {hint}"
