"""Kernel methods: one algebra of kernels, and a certificate with every answer.

=====================  ========================================================================
`kernel`               a kernel from its text, ``mercer.kernel("0.5*rbf(gamma=0.1) + linear")``
`Kernel`, `RBF`, …     kernels as classes; all of them are in `mercer.kernels`
`user`, `register`     kernels of your own
`gram`                 the lazy Gram matrix of a kernel on data
`check_gram`, `repair` what is wrong with a Gram matrix, and the nearest valid one
`find_counterexample`  data on which a kernel fails to be positive semidefinite
`check_kernel`         every law a kernel must obey, tested on a sample
`SVC`, `SVR`, …        support vector machines, in `mercer.svm`
`FeatureMap`, …        transformers for pipelines, in `mercer.preprocessing`
`Table`                columns of mixed kinds
=====================  ========================================================================

Names are loaded on first use, so that ``import mercer`` costs next to nothing.

>>> import mercer
>>> mercer.kernel("rbf(gamma=0.5)") == mercer.RBF(gamma=0.5)
True
"""

# ruff: noqa: F403, F405
# The star import is for type checkers only; tests/test_namespace.py loads every name of __all__.
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer import data, exceptions, kernels, operators, preprocessing, solvers, svm, testing
    from mercer.data import Table
    from mercer.kernels import *
    from mercer.operators import gram
    from mercer.preprocessing import FeatureMap, KernelRepair, KernelRows
    from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, c_path
    from mercer.testing import check_kernel

    __version__: str

__all__ = [
    "ANOVA",
    "RBF",
    "SVC",
    "SVDD",
    "SVR",
    "AdditiveChi2",
    "Bilinear",
    "Brownian",
    "Certificate",
    "Chi2",
    "Columns",
    "Constant",
    "Cosine",
    "Counterexample",
    "Definiteness",
    "Delta",
    "ExpOf",
    "Exponential",
    "FeatureMap",
    "GramReport",
    "Intersection",
    "Kernel",
    "KernelRepair",
    "KernelRows",
    "Laplacian",
    "Linear",
    "Log",
    "Map",
    "Matern",
    "MinMax",
    "NegativeChi2",
    "Normalized",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Overlap",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "PowerOf",
    "Product",
    "RationalQuadratic",
    "Scaled",
    "Sigmoid",
    "Sum",
    "Table",
    "Tanimoto",
    "User",
    "Weighted",
    "__version__",
    "c_path",
    "check_gram",
    "check_kernel",
    "data",
    "exceptions",
    "find_counterexample",
    "gram",
    "kernel",
    "kernels",
    "operators",
    "preprocessing",
    "register",
    "registered",
    "repair",
    "solvers",
    "svm",
    "testing",
    "user",
]

_SUBMODULES = ("cli", "data", "exceptions", "kernels", "operators", "preprocessing", "solvers", "svm", "testing")
_HOMES = {  # of the names that do not live in mercer.kernels
    "FeatureMap": "mercer.preprocessing",
    "KernelRepair": "mercer.preprocessing",
    "KernelRows": "mercer.preprocessing",
    "Table": "mercer.data",
    "check_kernel": "mercer.testing",
    "gram": "mercer.operators",
    **dict.fromkeys(("SVC", "SVDD", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "c_path"), "mercer.svm"),
}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"mercer.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("mercer")
    else:
        value = getattr(importlib.import_module(_HOMES.get(name, "mercer.kernels")), name)
    globals()[name] = value  # next time without this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
