"""``mercer doctor``: installed versions and self-test."""

import importlib.metadata
import platform
from typing import TYPE_CHECKING, Any

from mercer.cli.shared.options import Code, Json

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["doctor"]

REQUIRED = ("numpy", "scipy", "scikit-learn", "narwhals", "threadpoolctl")
OPTIONAL = {  # purpose, and the extra that installs the package
    "polars": ("reading tables", "app"),
    "jinja2": ("reports", "app"),
    "cyclopts": ("command line", "app"),
    "rich": ("command line", "app"),
    "matplotlib": ("plots", "plot"),
    "skops": ("saving models", "io"),
    "rdkit": ("molecules", "chem"),
}
PROGRAM = """\
import numpy as np
import mercer

X = np.random.default_rng(0).normal(size=(200, 5))
squares = (X**2).sum(axis=1)
exact = np.exp(-0.1 * (squares[:, None] + squares - 2 * X @ X.T))
print(mercer.__version__, "difference from NumPy:", np.abs(mercer.RBF(gamma=0.1)(X) - exact).max())
solution = mercer.SVC(kernel="rbf", gamma=0.1).fit(X, squares > 5).solution_
print(solution.status.value, "relative gap:", solution.relative_gap)"""


def doctor(*, json: Json = False, code: Code = False) -> int:
    """Show versions, threads and memory, and run a self-test.

    Lists optional packages that are missing with the command that installs them. The exit code is 1 if the self-test
    fails.
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(PROGRAM.splitlines(), json=json)
        return 0
    found = _examine()
    if json:
        print_json(found)
    else:
        _show(terminal(), found)
    return 0 if found["self_test"]["passed"] else 1


def _examine() -> dict[str, Any]:
    import mercer

    return {
        "mercer": mercer.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "required": {name: _version(name) for name in REQUIRED},
        "optional": {
            name: {"version": _version(name), "for": use, "install": f"pip install 'mercer[{extra}]'"}
            for name, (use, extra) in OPTIONAL.items()
        },
        "machine": _machine(),
        "self_test": _self_test(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _machine() -> dict[str, Any]:
    import scipy.linalg  # noqa: F401 - loads the BLAS, so that threadpoolctl lists it
    from threadpoolctl import threadpool_info

    from mercer._runtime.engine import simd_level, thread_count
    from mercer._runtime.limits import available_memory, cpu_quota

    blas = {
        f"{info['internal_api']} {info['version']}: {info['num_threads']} thread{'s' * (info['num_threads'] != 1)}, "
        f"{info.get('architecture') or '?'}"
        for info in threadpool_info()
        if info["user_api"] == "blas"
    }
    return {
        "processors": cpu_quota(),
        "threads": thread_count(),
        "instructions": simd_level(),
        "memory_available": available_memory(),
        "blas": sorted(blas),
        "compiler_of_python": platform.python_compiler(),
    }


def _self_test() -> dict[str, Any]:
    """Compare a small Gram matrix with NumPy, and check the duality gap of a small SVM."""
    from time import perf_counter

    import numpy as np

    from mercer.kernels import RBF
    from mercer.svm import SVC

    start = perf_counter()
    X = np.random.default_rng(0).normal(size=(200, 5))
    squares = (X**2).sum(axis=1)
    exact = np.exp(-0.1 * (squares[:, None] + squares - 2 * X @ X.T))
    error = float(np.abs(RBF(gamma=0.1)(X) - exact).max())
    solution = SVC(kernel="rbf", gamma=0.1).fit(X, squares > 5).solution_
    gram_ok, svc_ok = error < 1e-12, bool(solution.converged and solution.relative_gap < 1e-6)
    return {
        "passed": gram_ok and svc_ok,
        "gram": {"passed": gram_ok, "error": error},
        "svc": {"passed": svc_ok, "status": solution.status.value, "relative_gap": solution.relative_gap},
        "seconds": perf_counter() - start,
    }


def _show(console: "Console", found: dict[str, Any]) -> None:
    from rich.text import Text

    from mercer._runtime.limits import format_bytes
    from mercer.cli.shared.tables import facts, plain_table

    console.print(Text(f"mercer {found['mercer']}", style="bold"))
    console.print(Text(f"Python {found['python']}, {found['system']}", style="dim"))
    console.print()
    parts = plain_table("package", "version", "used for")
    for name, version in found["required"].items():
        parts.add_row(name, version or Text("✗ missing", style="red"), "core")
    for name, part in found["optional"].items():
        absent = Text.assemble(("– ", "yellow"), part["install"])
        parts.add_row(name, part["version"] or absent, part["for"])
    console.print(parts)
    console.print()
    machine, test = found["machine"], found["self_test"]
    memory = machine["memory_available"]
    console.print(
        facts(
            {
                "threads": f"{machine['threads']} of {machine['processors']} processors",
                "instructions": machine["instructions"],
                "memory": "unknown" if memory is None else f"{format_bytes(memory)} available",
                "BLAS": "\n".join(machine["blas"]) or "unknown",
                "compiler": f"{machine['compiler_of_python']} (Python)",
                "Gram matrix": _outcome(test["gram"], f"differs from NumPy by {test['gram']['error']:.1e}"),
                "SVC": _outcome(
                    test["svc"], f"{test['svc']['status']}, relative gap {test['svc']['relative_gap']:.1e}"
                ),
            }
        )
    )


def _outcome(part: dict[str, Any], words: str) -> Any:
    from rich.text import Text

    return Text.assemble(("✓ ", "green") if part["passed"] else ("✗ ", "red"), words)
