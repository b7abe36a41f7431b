"""Model selection: kernel alignment and ranking, kernel two-sample and independence tests, cached Gram matrices."""

from mercer._doors import publish
from mercer.model_selection.alignment import alignment, alignment_weights, centered_alignment
from mercer.model_selection.dependence import hsic, independence_test
from mercer.model_selection.gram_cache import GramCache
from mercer.model_selection.permutation import PermutationTestResult
from mercer.model_selection.ranking import KernelRanking, RankedKernel, rank_kernels
from mercer.model_selection.two_samples import mmd, two_sample_test

__all__ = [
    "GramCache",
    "KernelRanking",
    "PermutationTestResult",
    "RankedKernel",
    "alignment",
    "alignment_weights",
    "centered_alignment",
    "hsic",
    "independence_test",
    "mmd",
    "rank_kernels",
    "two_sample_test",
]

publish(__name__, globals())
