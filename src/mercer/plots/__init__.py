"""Pictures of kernels and models, by scikit-learn's Display convention.

=========================  ==========================================================
`KernelMatrixDisplay`      a Gram matrix as a heat map, samples ordered by class
`KernelSpectrumDisplay`    its eigenvalues, negative ones marked
`EmbeddingDisplay`         samples where kernel PCA and its relatives put them
`ComponentContourDisplay`  components as functions on the plane
`DecisionBoundaryDisplay`  regions, margins and support vectors in the plane
`MistakesDisplay`          mistakes of a perceptron, pass by pass
`KernelWeightsDisplay`     weights of kernels in a sum, and their alignment
`ContributionsDisplay`     what pushed a prediction
`ImageGridDisplay`         grey images side by side
`read_targets`             targets as displays take them
`blank`, `png`, `svg`      a figure without pyplot, and figures as bytes and text
=========================  ==========================================================

Class methods ``from_…`` compute and draw, `plot` draws again, elsewhere or otherwise; what was drawn is in attributes
with a trailing underscore. Nothing is fitted or shown, and no setting of matplotlib is changed. matplotlib is imported
when the first picture is drawn.
"""

from mercer._doors import publish
from mercer.plots.boundary import DecisionBoundaryDisplay
from mercer.plots.contours import ComponentContourDisplay
from mercer.plots.contributions import ContributionsDisplay
from mercer.plots.embedding import EmbeddingDisplay
from mercer.plots.figure import blank, png, svg
from mercer.plots.images import ImageGridDisplay
from mercer.plots.matrix import KernelMatrixDisplay
from mercer.plots.mistakes import MistakesDisplay
from mercer.plots.spectrum import KernelSpectrumDisplay
from mercer.plots.style import COLOURS, MARKERS
from mercer.plots.targets import Targets, read_targets
from mercer.plots.weights import KernelWeightsDisplay

__all__ = [
    "COLOURS",
    "MARKERS",
    "ComponentContourDisplay",
    "ContributionsDisplay",
    "DecisionBoundaryDisplay",
    "EmbeddingDisplay",
    "ImageGridDisplay",
    "KernelMatrixDisplay",
    "KernelSpectrumDisplay",
    "KernelWeightsDisplay",
    "MistakesDisplay",
    "Targets",
    "blank",
    "png",
    "read_targets",
    "svg",
]

publish(__name__, globals())
