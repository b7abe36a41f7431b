"""Whom files may ask for by name."""

__all__ = ["TRUSTED_TYPES"]


def _named(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


TRUSTED_TYPES: tuple[str, ...] = (
    # Estimators, and what they hold that has no invariants.
    *_named("mercer.svm", "SVC NuSVC SVR NuSVR OneClassSVM SVDD"),
    *_named("mercer.ridge", "KernelRidge KernelRidgeCV KernelRidgeClassifier KernelLogisticRegression Ridge"),
    *_named("mercer.decomposition", "KernelPCA ClassicalMDS Isomap LaplacianEigenmaps LocallyLinearEmbedding"),
    *_named("mercer.discriminant", "KernelDiscriminantAnalysis"),
    *_named("mercer.perceptron", "KernelPerceptron Perceptron"),
    *_named("mercer.neighbors", "KernelKNeighborsClassifier KernelKNeighborsRegressor"),
    *_named("mercer.cluster", "KernelKMeans KernelSpectralClustering"),
    *_named("mercer.preprocessing", "FeatureMap KernelRows KernelRepair"),
    *_named("mercer.auto", "AutoClassifier AutoRegressor TablePreparer Candidate"),
    *_named("mercer.kernels", "FittedRepair Vocabularies Vocabulary"),
    *_named("mercer.solvers", "Solution MistakeList BudgetMemory"),
    "mercer.persistence.Stored",
    # What scikit-learn's searches, folds, calibration and wrappers hold beside the estimators that skops trusts.
    *_named("sklearn.model_selection._split", "KFold StratifiedKFold GroupKFold StratifiedGroupKFold"),
    *_named("sklearn.model_selection._split", "LeaveOneOut LeavePOut LeaveOneGroupOut LeavePGroupsOut PredefinedSplit"),
    *_named("sklearn.model_selection._split", "ShuffleSplit StratifiedShuffleSplit GroupShuffleSplit"),
    *_named("sklearn.model_selection._split", "RepeatedKFold RepeatedStratifiedKFold"),
    *_named("sklearn.calibration", "_CalibratedClassifier _SigmoidCalibration _TemperatureScaling"),
    *_named("sklearn.multiclass", "_ConstantPredictor"),
    *_named("sklearn.compose._column_transformer", "make_column_selector"),
    *_named("sklearn.metrics._scorer", "_PassthroughScorer _Scorer _MultimetricScorer _CurveScorer"),
    *_named(
        "sklearn.utils", "_bunch.Bunch _metadata_requests.MetadataRequest _metadata_requests.MethodMetadataRequest"
    ),
    *_named("numpy", "number integer floating"),
    # Functions that scorers call.
    *_named("sklearn.metrics._classification", "accuracy_score balanced_accuracy_score brier_score_loss f1_score"),
    *_named("sklearn.metrics._classification", "jaccard_score log_loss matthews_corrcoef precision_score recall_score"),
    *_named("sklearn.metrics._ranking", "average_precision_score roc_auc_score top_k_accuracy_score"),
    *_named("sklearn.metrics._regression", "explained_variance_score max_error mean_absolute_error r2_score"),
    *_named("sklearn.metrics._regression", "mean_absolute_percentage_error mean_gamma_deviance mean_poisson_deviance"),
    *_named("sklearn.metrics._regression", "mean_squared_error mean_squared_log_error median_absolute_error"),
    *_named("sklearn.metrics._regression", "root_mean_squared_error root_mean_squared_log_error"),
)
"""Names that `load` takes from a file, in addition to those that skops trusts by itself: plain types of Python, arrays
and numbers of NumPy, estimators of scikit-learn. Kernels and packed samples are not among them, since no file builds
them by name: see `mercer.persistence.Stored`.
"""
