"""Classes that differentiate kernels, by kernel class."""

from mercer.kernels import library as mk
from mercer.kernels.base import Kernel
from mercer.kernels.gradients import columns, composite, coordinates, euclidean, interactions
from mercer.kernels.gradients.nodes import Flat, Node, Opaque
from mercer.kernels.gradients.panels import Pairs

__all__ = ["LEAVES", "NODES", "node_of", "with_gradient"]

LEAVES: dict[type[Kernel], type[Node]] = {
    mk.Linear: euclidean.InnerProduct,
    mk.Polynomial: euclidean.InnerProduct,
    mk.Sigmoid: euclidean.InnerProduct,
    mk.Cosine: euclidean.CosineAngle,
    mk.Bilinear: euclidean.BilinearForm,
    mk.RBF: euclidean.Width,
    mk.Exponential: euclidean.Width,
    mk.Laplacian: coordinates.Manhattan,
    mk.Matern: euclidean.Width,
    mk.RationalQuadratic: euclidean.Width,
    mk.Periodic: coordinates.Sines,
    mk.WeightedColumns: columns.WeightedSum,
    mk.Interactions: interactions.Means,
    mk.Power: euclidean.Exponent,
    mk.Log: euclidean.Exponent,
    mk.Chi2: coordinates.Chi2Sum,
    mk.AdditiveChi2: coordinates.Chi2Sum,
    mk.NegativeChi2: coordinates.Chi2Sum,
    mk.Intersection: coordinates.Minima,
    mk.Brownian: coordinates.Brownian,
    mk.Tanimoto: euclidean.TanimotoRatio,
    mk.MinMax: coordinates.MinimaRatio,
    mk.Delta: Flat,
    mk.Overlap: Flat,
    mk.ANOVA: coordinates.Anova,
    mk.Constant: Flat,
}
NODES: dict[type[Kernel], type[Node]] = {
    mk.Sum: composite.SumRule,
    mk.Product: composite.ProductRule,
    mk.Scaled: composite.Times,
    mk.PowerOf: composite.Chain,
    mk.PolynomialOf: composite.Chain,
    mk.ExpOf: composite.Chain,
    mk.Normalized: composite.Normed,
    mk.TanimotoOf: composite.Normed,
    mk.Columns: composite.ColumnChoice,
    mk.Weighted: composite.WeightedBySample,
    mk.Map: composite.Image,
    mk.LinearMap: composite.LinearImage,
}


def with_gradient() -> list[type[Kernel]]:
    """Leaves that have a gradient in their first argument."""
    return list(LEAVES)


def node_of(kernel: Kernel, pairs: Pairs) -> Node:
    """Node of a kernel between two sets of samples; kernels without derivatives are constants."""
    cls = LEAVES.get(type(kernel)) or NODES.get(type(kernel), Opaque)
    return cls(kernel, pairs, node_of)
