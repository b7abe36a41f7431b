"""Plots of kernels and models, following scikit-learn's Display convention.

==========================  ==========================================================
`KernelMatrixDisplay`       Gram matrix as a heat map, samples ordered by class
`KernelSpectrumDisplay`     eigenvalues of a Gram matrix, negative ones marked
`EmbeddingDisplay`          scatter plot of kernel PCA and other embeddings
`ComponentContourDisplay`   components as functions on the plane
`DecisionBoundaryDisplay`   regions, margins and support vectors in the plane
`MistakesDisplay`           mistakes of a perceptron in each epoch
`KernelWeightsDisplay`      weights of kernels in a sum, and their alignment
`ColumnWeightsDisplay`      learned weights of columns, and the path of learning
`ContributionsDisplay`      contributions of features to a prediction
`ShapleyDisplay`            Shapley values: importances, all rows, or one row
`ImportancesDisplay`        importances of columns, for one or several outputs
`PartialDependenceDisplay`  score as a function of one column
`ImageGridDisplay`          grid of grey images
`read_targets`              targets in the form that displays take
`blank`, `png`, `svg`       figure without pyplot, figures as bytes and text
==========================  ==========================================================

Class methods ``from_…`` compute and draw. `plot` draws again, on other axes or in another style. Artists are stored in
attributes with a trailing underscore. Displays do not call ``plt.show`` and do not change settings of matplotlib. They
do not fit models, except that `KernelWeightsDisplay.from_estimator` refits a model to resamples if it is given data.
matplotlib is imported when the first figure is drawn.
"""

from mercer._doors import publish
from mercer.plots.boundary import DecisionBoundaryDisplay
from mercer.plots.columns import ColumnWeightsDisplay
from mercer.plots.contours import ComponentContourDisplay
from mercer.plots.contributions import ContributionsDisplay
from mercer.plots.dependence import PartialDependenceDisplay
from mercer.plots.embedding import EmbeddingDisplay
from mercer.plots.figure import blank, png, svg
from mercer.plots.images import ImageGridDisplay
from mercer.plots.importances import ImportancesDisplay
from mercer.plots.matrix import KernelMatrixDisplay
from mercer.plots.mistakes import MistakesDisplay
from mercer.plots.shapley import ShapleyDisplay
from mercer.plots.spectrum import KernelSpectrumDisplay
from mercer.plots.style import COLOURS, MARKERS
from mercer.plots.targets import Targets, read_targets
from mercer.plots.weights import KernelWeightsDisplay

__all__ = [
    "COLOURS",
    "MARKERS",
    "ColumnWeightsDisplay",
    "ComponentContourDisplay",
    "ContributionsDisplay",
    "DecisionBoundaryDisplay",
    "EmbeddingDisplay",
    "ImageGridDisplay",
    "ImportancesDisplay",
    "KernelMatrixDisplay",
    "KernelSpectrumDisplay",
    "KernelWeightsDisplay",
    "MistakesDisplay",
    "PartialDependenceDisplay",
    "ShapleyDisplay",
    "Targets",
    "blank",
    "png",
    "read_targets",
    "svg",
]

publish(__name__, globals())
