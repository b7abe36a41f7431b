"""Semi-supervised learning: estimators that learn from labelled and unlabelled samples."""

from mercer._doors import publish
from mercer.semi_supervised.laplacian_ridge import LaplacianRidge
from mercer.semi_supervised.laplacian_svc import LaplacianSVC
from mercer.semi_supervised.transductive import TransductiveSVC

__all__ = ["LaplacianRidge", "LaplacianSVC", "TransductiveSVC"]

publish(__name__, globals())
