"""The estimators, and what they have in common."""

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

FAMILY = [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD]
SHARED = FAMILY[:-1]  # with scikit-learn


def values_of(model, X):
    """Decision values, or predictions of a regressor."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
