"""Views of prepared data: the columns that a kernel reads, so that a fitted model stores only these."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from mercer._typing import Data
from mercer.data import Graph, Graphs, Table
from mercer.data.frames import locate_all
from mercer.kernels import Columns, Kernel, LinearMap, Map

__all__ = ["Form", "View", "named_columns"]

Form: TypeAlias = Literal["whole", "table", "matrix", "codes", "graphs"]


@dataclass(frozen=True)
class View:
    """The columns that a kernel reads, their form, and the kernel for that form.

    Numeric columns become one matrix, and a single column of molecules becomes a container of graphs. The kernel then
    refers to columns by position, or to none if it reads all. Other columns stay a table.

    Parameters
    ----------
    form : {"whole", "table", "matrix", "codes", "graphs"}
        Form of the samples. "whole" means prepared data without change, "codes" a matrix with codes of categories.
    columns : tuple of str
        Names of the columns, in the order of the table.
    kernel : Kernel
        Kernel on samples of that form.

    Examples
    --------
    >>> import mercer
    >>> table = Table.from_frame({"age": [31, 45], "city": ["Rome", "Oslo"], "income": [3.0, 5.0]})
    >>> view = View.of(mercer.kernel("rbf(gamma=1)[income, age]"), table)
    >>> str(view.kernel), view.apply(table).tolist()
    ('rbf(gamma=1)[1, 0]', [[31.0, 3.0], [45.0, 5.0]])
    """

    form: Form
    columns: tuple[str, ...]
    kernel: Kernel

    @classmethod
    def of(cls, kernel: Kernel, data: Data) -> Self:
        """Create the view of a kernel on prepared data."""
        if not isinstance(data, Table):
            return cls("whole", (), kernel)
        wanted = _used(kernel, data.names)
        columns = tuple(name for name in data.names if name in wanted)
        kinds = {data.columns[data.names.index(name)].kind for name in columns}
        if kinds == {"number"} and kernel.reads == "vectors":
            return cls("matrix", columns, _by_position(kernel, columns))
        graphs = len(columns) == 1 and all(isinstance(value, Graph) for value in data.column(columns[0])[:1])
        if kinds == {"object"} and graphs:
            return cls("graphs", columns, _by_position(kernel, columns))
        return cls("whole" if columns == data.names else "table", columns, kernel)

    def apply(self, data: Data) -> Data:
        """Return the part of prepared data that the kernel reads."""
        match self.form:
            case "matrix":
                return data.select(list(self.columns)).matrix()
            case "codes":
                return data.select(list(self.columns)).codes()
            case "graphs":
                return Graphs(data.column(self.columns[0]))
            case "table":
                return data.select(list(self.columns))
        return data

    def code(self, prepared: str, names: tuple[str, ...]) -> str:
        """Return `apply` as Python code, given the code and the column names of the prepared data."""
        quoted = ", ".join(json.dumps(name, ensure_ascii=False) for name in self.columns)
        columns = "" if self.columns == names else f"[[{quoted}]]"
        match self.form:
            case "matrix":
                return f"{prepared}{columns}.matrix()"
            case "graphs":
                return f"Graphs({prepared}[{quoted}])"
            case "table":
                return f"{prepared}{columns}"
        return prepared


def named_columns(kernel: Kernel) -> list[str]:
    """List the columns that a kernel refers to by name.

    Parameters
    ----------
    kernel : Kernel
        Any kernel. Columns given by position are ignored.

    Returns
    -------
    list of str
        Distinct names, in the order in which the kernel refers to them.

    See Also
    --------
    mercer.kernels.Columns : Restricts a kernel to some columns.
    proposals : Proposes kernels for prepared data.

    Examples
    --------
    >>> import mercer
    >>> from mercer.auto import named_columns
    >>> named_columns(mercer.kernel("rbf[age, size] + delta[city]*linear[age]"))
    ['age', 'size', 'city']
    """
    own = [c for c in kernel.columns if isinstance(c, str)] if isinstance(kernel, Columns) else []
    parts = [] if isinstance(kernel, Columns) else kernel.parts().values()
    return list(dict.fromkeys([*own, *(name for part in parts for name in named_columns(part))]))


def _used(kernel: Kernel, names: Sequence[str]) -> set[str]:
    if isinstance(kernel, Columns):
        return {names[i] for i in locate_all("Columns", names, kernel.columns)}
    parts = list(kernel.parts().values())
    if not parts or isinstance(kernel, Map | LinearMap):
        return set(names)
    return set().union(*(_used(part, names) for part in parts))


def _by_position(kernel: Kernel, names: Sequence[str]) -> Kernel:
    if isinstance(kernel, Columns):
        where = locate_all("Columns", names, kernel.columns)
        inner = _by_position(kernel.kernel, [names[i] for i in where])
        return inner if where == list(range(len(names))) else Columns(where, inner)
    parts = {name: _by_position(part, names) for name, part in kernel.parts().items()}
    return kernel if parts == kernel.parts() else kernel.with_parts(parts)
