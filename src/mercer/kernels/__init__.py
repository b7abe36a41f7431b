"""Kernels: immutable values with parameters, an algebra and a certificate of definiteness.

===================  ===============================================================================
inner product        `Linear`, `Polynomial`, `Sigmoid`, `Cosine`, `Bilinear`
distance             `RBF`, `Exponential`, `Laplacian`, `Matern`, `RationalQuadratic`, `Periodic`,
                     `WeightedColumns`, `Power`, `Log`
histograms           `Chi2`, `AdditiveChi2`, `NegativeChi2`, `Intersection`, `Brownian`, `Tanimoto`,
                     `MinMax`
categories, other    `Delta`, `Overlap`, `ANOVA`, `Interactions`, `Constant`
strings              `Spectrum`, `BagOfWords`, `Mismatch`, `Gapped`, `Subsequence`, `WeightedDegree`,
                     `LocalAlignment`
trees                `Subtree`, `SubsetTree`, `PartialTree`
graphs               `VertexHistogram`, `EdgeHistogram`, `WeisfeilerLehman`, `WLOptimalAssignment`,
                     `NeighborhoodHash`, `ShortestPath`, `AttributedShortestPath`, `GraphHopper`,
                     `Propagation`, `RandomWalk`, `Graphlet`
algebra              `Sum` (+), `Product` (*), `Scaled` (0.5*k), `PowerOf` (k**2), `PolynomialOf`,
                     `ExpOf`, `Normalized`, `TanimotoOf`, `Columns`, `Weighted`, `Map`, `LinearMap`
user-defined         `user` for a function, `Kernel` as a base class, `register` for a text name;
                     `VectorKernel`, `KeyedKernel`, `PackedKernel`, and `Builder`, `Op` and
                     `KeyedRows`, which they use
text form            `kernel`, `registered`
definiteness         `Definiteness`, `Certificate`, `check_gram`, `find_counterexample`, `repair`
features             `Vocabulary`, `Vocabularies`: columns of explicit features of structured data
===================  ===============================================================================

The string, tree and graph kernels are also grouped in `mercer.kernels.strings`, `.trees` and `.graphs`.

Every kernel is called on data (``k(X)``, ``k(X, Y)``) and has the methods ``diag``, ``distance``, ``feature_map``,
``resolve`` and ``certificate``; see `Kernel`.

>>> k = 0.5 * RBF(gamma=0.1) + Linear() ** 2
>>> print(k, k.definiteness.value)
0.5*rbf(gamma=0.1) + linear**2 psd
>>> kernel("0.5*rbf(gamma=0.1) + linear**2") == k
True
"""

# ruff: noqa: F403
from typing import TYPE_CHECKING

from mercer._doors import publish
from mercer.kernels.base import Kernel as Kernel
from mercer.kernels.counterexample import Counterexample as Counterexample
from mercer.kernels.counterexample import find_counterexample as find_counterexample
from mercer.kernels.definiteness import Certificate as Certificate
from mercer.kernels.definiteness import Definiteness as Definiteness
from mercer.kernels.keyed import KeyedRows as KeyedRows
from mercer.kernels.library import *
from mercer.kernels.operations import Op as Op
from mercer.kernels.packed import PackedKernel as PackedKernel
from mercer.kernels.program import Builder as Builder
from mercer.kernels.registry import LIBRARY
from mercer.kernels.registry import register as register
from mercer.kernels.registry import registered as registered
from mercer.kernels.repair import FittedRepair as FittedRepair
from mercer.kernels.repair import repair as repair
from mercer.kernels.text import kernel as kernel
from mercer.kernels.user import user as user
from mercer.kernels.validity import GramReport as GramReport
from mercer.kernels.validity import check_gram as check_gram
from mercer.kernels.vector import VectorKernel as VectorKernel
from mercer.kernels.vocabulary import KeyedKernel as KeyedKernel
from mercer.kernels.vocabulary import Vocabularies as Vocabularies
from mercer.kernels.vocabulary import Vocabulary as Vocabulary

if not TYPE_CHECKING:  # type checkers read the imports above, where stars and "as" mark what is exported
    __all__ = [cls.__name__ for cls in LIBRARY]
    __all__ += [
        "Builder",
        "Certificate",
        "Counterexample",
        "Definiteness",
        "FittedRepair",
        "GramReport",
        "Kernel",
        "KeyedKernel",
        "KeyedRows",
        "Op",
        "PackedKernel",
        "VectorKernel",
        "Vocabularies",
        "Vocabulary",
        "check_gram",
        "find_counterexample",
        "kernel",
        "register",
        "registered",
        "repair",
        "user",
    ]

publish(__name__, globals())
