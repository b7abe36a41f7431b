"""Formats of model files: the one that is written, those that are read, and the conversion of older ones.

====== =====================================================================================
Format Written by
====== =====================================================================================
1      mercer 0.1.0 before its release; names classes by the files that define them
2      this version; names classes by the packages that export them
====== =====================================================================================

A change of the stored attributes that older files cannot be converted to increases both `FORMAT` and `OLDEST`. Files of
formats below `OLDEST` are rejected.
"""

import json
from typing import Any

__all__ = ["FORMAT", "OLDEST", "SINCE_FORMAT_1", "refusal", "with_current_names"]

FORMAT = 2
OLDEST = 1


def refusal(number: int, writer: str, here: str) -> str:
    """Reason why files of a format are not read, and what to do, as the end of a sentence.

    Parameters
    ----------
    number : int
        Format of the file.
    writer : str
        Version of mercer that wrote the file.
    here : str
        Version of mercer that reads it.

    Returns
    -------
    str
        The reason; empty for formats that are read.

    Examples
    --------
    >>> refusal(9, "1.2.0", "0.1.0")
    'was written by mercer 1.2.0 (format 9); this is mercer 0.1.0, which reads formats 1 to 2: update mercer.'
    """
    if OLDEST <= number <= FORMAT:
        return ""
    reads = f"formats {OLDEST} to {FORMAT}" if OLDEST < FORMAT else f"format {FORMAT}"
    again = "fit the model again" + (f", or install mercer=={writer}" if writer != here else "")
    advice = "update mercer" if number > FORMAT else again
    return f"was written by mercer {writer} (format {number}); this is mercer {here}, which reads {reads}: {advice}."


# Names of the trusted classes in format 1. Other names are not translated.
_FILES = {
    "mercer.auto": "candidate.Candidate estimators.AutoClassifier estimators.AutoRegressor prepare.TablePreparer",
    "mercer.cluster": "kernel_kmeans.KernelKMeans spectral.KernelSpectralClustering",
    "mercer.data": "graph.Graph graphs.Graphs strings.Strings table.Table tree.Tree trees.Trees",
    "mercer.decomposition": """
        isomap.Isomap kernel_pca.KernelPCA laplacian.LaplacianEigenmaps locally_linear.LocallyLinearEmbedding
        mds.ClassicalMDS
    """,
    "mercer.discriminant": "kernel_discriminant.KernelDiscriminantAnalysis",
    "mercer.kernels": """
        algebra.Product algebra.Scaled algebra.Sum around.Columns closure.ExpOf closure.Normalized closure.PolynomialOf
        closure.PowerOf conditional.Log conditional.Power definiteness.Definiteness discrete.ANOVA discrete.Constant
        discrete.Delta discrete.Overlap dot.Bilinear dot.Cosine dot.Linear dot.Polynomial dot.Sigmoid
        graphs.attributed_shortest_path.AttributedShortestPath graphs.graph_hopper.GraphHopper graphs.graphlet.Graphlet
        graphs.histograms.EdgeHistogram graphs.histograms.VertexHistogram graphs.neighborhood_hash.NeighborhoodHash
        graphs.propagation.Propagation graphs.random_walk.RandomWalk graphs.shortest_path.ShortestPath
        graphs.weisfeiler_lehman.WLOptimalAssignment graphs.weisfeiler_lehman.WeisfeilerLehman histograms.AdditiveChi2
        histograms.Brownian histograms.Chi2 histograms.Intersection histograms.MinMax histograms.NegativeChi2
        histograms.Tanimoto periodic.Periodic ratio.TanimotoOf repair.FittedRepair stationary.Exponential
        stationary.Laplacian stationary.Matern stationary.RBF stationary.RationalQuadratic
        strings.bag_of_words.BagOfWords strings.gapped.Gapped strings.local_alignment.LocalAlignment
        strings.mismatch.Mismatch strings.spectrum.Spectrum strings.subsequence.Subsequence
        strings.weighted_degree.WeightedDegree trees.partial_tree.PartialTree trees.subset_tree.SubsetTree
        trees.subtree.Subtree vocabulary.Vocabularies vocabulary.Vocabulary
    """,
    "mercer.neighbors": "classification.KernelKNeighborsClassifier regression.KernelKNeighborsRegressor",
    "mercer.perceptron": "kernel.KernelPerceptron linear.Perceptron",
    "mercer.persistence": "stored.Stored",
    "mercer.preprocessing": "feature_map.FeatureMap kernel_repair.KernelRepair kernel_rows.KernelRows",
    "mercer.ridge": """
        classifier.KernelRidgeClassifier kernel_ridge.KernelRidge kernel_ridge_cv.KernelRidgeCV linear.Ridge
        logistic.KernelLogisticRegression
    """,
    "mercer.solvers": "perceptron.BudgetMemory perceptron.MistakeList solution.Solution solution.Status",
    "mercer.svm": "nu_svc.NuSVC one_class.OneClassSVM one_class.SVDD svc.SVC svr.NuSVR svr.SVR",
}
SINCE_FORMAT_1 = {
    f"{package}.{name}": f"{package}.{name.rpartition('.')[2]}"
    for package, names in _FILES.items()
    for name in names.split()
}


def with_current_names(schema: Any) -> Any:
    """Replace the class names of format 1 in a schema by those of format 2, in place."""
    stack = [schema]
    while stack:
        value = stack.pop()
        if type(value) is dict:
            _rename(value)
        children = value.values() if type(value) is dict else value
        stack += [child for child in children if type(child) in (dict, list)]
    return schema


def _rename(node: dict[str, Any]) -> None:
    name = f"{node.get('__module__')}.{node.get('__class__')}"
    if name not in SINCE_FORMAT_1:
        return
    node["__module__"] = SINCE_FORMAT_1[name].rpartition(".")[0]
    if name == "mercer.persistence.stored.Stored":
        attributes = node["content"]["content"]
        _rename_text(attributes["name"])
        if json.loads(attributes["kind"]["content"]) in ("kernel", "word"):
            _rename_text(attributes["state"]["content"].get("class"))


def _rename_text(node: Any) -> None:
    """Rename the class in a text node; kernels stored by their text form have no such node."""
    if node is not None:
        name = json.loads(node["content"])
        node["content"] = json.dumps(SINCE_FORMAT_1.get(name, name))
