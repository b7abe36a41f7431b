"""Kernels as values."""

from mercer.kernels.algebra import Product, Scaled, Sum
from mercer.kernels.around import Columns, Map, Weighted
from mercer.kernels.base import Kernel
from mercer.kernels.closure import ExpOf, Normalized, PolynomialOf, PowerOf
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.discrete import ANOVA, Constant, Delta, Overlap
from mercer.kernels.dot import Bilinear, Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.histograms import AdditiveChi2, Brownian, Chi2, Intersection, MinMax, NegativeChi2, Tanimoto
from mercer.kernels.stationary import RBF, Exponential, Laplacian, Log, Matern, Periodic, Power, RationalQuadratic
