"""Types that model files may contain."""

__all__ = ["TRUSTED_TYPES"]


def _named(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


TRUSTED_TYPES: tuple[str, ...] = (
    # Estimators, and attributes of estimators without invariants.
    *_named("mercer.svm", "SVC NuSVC SVR NuSVR OneClassSVM SVDD"),
    *_named("mercer.ridge", "KernelRidge KernelRidgeCV KernelRidgeClassifier KernelLogisticRegression Ridge"),
    *_named("mercer.decomposition", "KernelPCA ClassicalMDS Isomap LaplacianEigenmaps LocallyLinearEmbedding"),
    *_named("mercer.discriminant", "KernelDiscriminantAnalysis"),
    *_named("mercer.perceptron", "KernelPerceptron Perceptron"),
    *_named("mercer.neighbors", "KernelKNeighborsClassifier KernelKNeighborsRegressor"),
    *_named("mercer.cluster", "KernelKMeans KernelSpectralClustering"),
    *_named("mercer.feature_learning", "LeaveOneOutWeights RecursiveFeatureMachine"),
    *_named("mercer.preprocessing", "FeatureMap KernelRows KernelRepair"),
    *_named("mercer.kernel_approximation", "Nystroem PolynomialSketch RandomFourierFeatures"),
    *_named("mercer.multiple_kernel", "MKLClassifier MKLRegressor"),
    *_named("mercer.semi_supervised", "LaplacianRidge LaplacianSVC TransductiveSVC"),
    *_named("mercer.auto", "AutoClassifier AutoRegressor TablePreparer Candidate Threshold"),
    *_named("mercer.auto.stack", "Layout LeafRidge StackMember StackedClassifier StackedRegressor"),
    *_named("mercer.approximation", "FittedApproximation FourierMap"),
    *_named("mercer.kernels", "FittedRepair Vocabularies Vocabulary"),
    *_named("mercer.solvers", "Solution MistakeList BudgetMemory"),
    "mercer.persistence.Stored",
    # Attributes of scikit-learn's searches, splitters, calibration and wrappers that skops does not trust.
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
    # Functions called by scorers.
    *_named("sklearn.metrics._classification", "accuracy_score balanced_accuracy_score brier_score_loss f1_score"),
    *_named("sklearn.metrics._classification", "jaccard_score log_loss matthews_corrcoef precision_score recall_score"),
    *_named("sklearn.metrics._ranking", "average_precision_score roc_auc_score top_k_accuracy_score"),
    *_named("sklearn.metrics._regression", "explained_variance_score max_error mean_absolute_error r2_score"),
    *_named("sklearn.metrics._regression", "mean_absolute_percentage_error mean_gamma_deviance mean_poisson_deviance"),
    *_named("sklearn.metrics._regression", "mean_squared_error mean_squared_log_error median_absolute_error"),
    *_named("sklearn.metrics._regression", "root_mean_squared_error root_mean_squared_log_error"),
)
"""Names of types that `load` builds, in addition to those that skops trusts: built-in types of Python, arrays and
scalars of NumPy, estimators of scikit-learn. Kernels and packed samples are not among them, since they are stored as
`mercer.persistence.Stored` and not built by name.
"""
