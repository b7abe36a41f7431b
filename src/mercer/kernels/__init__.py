"""Kernels: values with parameters, an algebra, a certificate, and no data.

===================  ===============================================================================
inner product        `Linear`, `Polynomial`, `Sigmoid`, `Cosine`, `Bilinear`
distance             `RBF`, `Exponential`, `Laplacian`, `Matern`, `RationalQuadratic`, `Periodic`,
                     `Power`, `Log`
histograms           `Chi2`, `AdditiveChi2`, `NegativeChi2`, `Intersection`, `Brownian`, `Tanimoto`,
                     `MinMax`
categories, other    `Delta`, `Overlap`, `ANOVA`, `Constant`
strings, trees,      in `mercer.kernels.strings`, `mercer.kernels.trees` and `mercer.kernels.graphs`
graphs
algebra              `Sum` (+), `Product` (*), `Scaled` (0.5*k), `PowerOf` (k**2), `PolynomialOf`,
                     `ExpOf`, `Normalized`, `TanimotoOf`, `Columns`, `Weighted`, `Map`
your own             `user` for a function, `Kernel` to derive from, `register` for a text name
from text            `kernel`, `registered`
knowledge            `Definiteness`, `Certificate`, `check_gram`, `find_counterexample`, `repair`
===================  ===============================================================================

Every kernel is called on data (``k(X)``, ``k(X, Y)``), and has ``diag``, ``distance``,
``feature_map``, ``resolve``, ``definiteness`` and ``certificate``; see `Kernel`.

>>> k = 0.5 * RBF(gamma=0.1) + Linear() ** 2
>>> print(k, k.definiteness.value)
0.5*rbf(gamma=0.1) + linear**2 psd
>>> kernel("0.5*rbf(gamma=0.1) + linear**2") == k
True
"""

from mercer.kernels.algebra import Product, Scaled, Sum
from mercer.kernels.around import Columns, Map, Weighted
from mercer.kernels.base import Kernel
from mercer.kernels.closure import ExpOf, Normalized, PolynomialOf, PowerOf
from mercer.kernels.conditional import Log, Power
from mercer.kernels.counterexample import Counterexample, find_counterexample
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.discrete import ANOVA, Constant, Delta, Overlap
from mercer.kernels.dot import Bilinear, Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.histograms import (
    AdditiveChi2,
    Brownian,
    Chi2,
    Intersection,
    MinMax,
    NegativeChi2,
    Tanimoto,
)
from mercer.kernels.periodic import Periodic
from mercer.kernels.ratio import TanimotoOf
from mercer.kernels.registry import register, registered
from mercer.kernels.repair import repair
from mercer.kernels.stationary import RBF, Exponential, Laplacian, Matern, RationalQuadratic
from mercer.kernels.text import kernel
from mercer.kernels.user import User, user
from mercer.kernels.validity import GramReport, check_gram

__all__ = [
    "ANOVA",
    "RBF",
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
    "GramReport",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "Log",
    "Map",
    "Matern",
    "MinMax",
    "NegativeChi2",
    "Normalized",
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
    "Tanimoto",
    "TanimotoOf",
    "User",
    "Weighted",
    "check_gram",
    "find_counterexample",
    "kernel",
    "register",
    "registered",
    "repair",
    "user",
]
