"""Whether what a fit says of itself is true: optimality from scratch, up to the rounding of the sums."""

import signal
import threading
import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.exceptions import IndefiniteKernelWarning
from mercer.kernels import Definiteness
from mercer.solvers import Status
from mercer.svm import SVC, SVR, NuSVC, NuSVR
from tests.svm import oracles

LIMIT = 600  # seconds after which a fit counts as endless, however busy the machine; all of these take a few at most


def gram_of(kernel, X, **parameters):
    """K from scratch; polynomials have coef0=1 here."""
    return oracles.kernel_matrix(X, kernel=kernel, coef0=float(kernel == "poly"), **parameters)


@contextmanager
def watched(seconds=LIMIT):
    """Raise if the block does not end: the core asks for signals now and then."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_):
        raise TimeoutError(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fitted(model, *data, **options):
    """The model after a fit that ends; it warns if, and only if, it is not converged (or has no margin to scale by)."""
    with watched(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data, **options)
    proved = model.kernel_ is not None and model.kernel_.definiteness is Definiteness.NOT_PSD
    assert sum(w.category is IndefiniteKernelWarning for w in caught) == proved
    others = [
        w for w in caught if w.category is not IndefiniteKernelWarning and "there is no margin" not in str(w.message)
    ]
    assert [w.category for w in others] == [ConvergenceWarning] * (not model.solution_.converged)
    return model


def rounding(problem, beta):
    """What the sums of the gradient may be off by."""
    size = np.abs(problem.K) @ np.abs(beta) + np.abs(problem.linear)
    return 4 * len(beta) * np.finfo(float).eps * float(size.max(initial=0.0))


def check(problem, beta, solution, tol=1e-3):
    """Feasible, with the objective it states, and optimal if it says so."""
    assert np.isfinite(beta).all()
    assert problem.infeasibility(beta) <= 1e-9
    off = rounding(problem, beta)
    if solution.status in (Status.CONVERGED, Status.NOT_PSD):
        assert problem.violation(beta) <= tol + off
        assert solution.violation <= tol
    else:
        assert solution.violation > tol or off > tol
        assert abs(problem.violation(beta) - solution.violation) <= 2 * off + 1e-9 * solution.violation
    objective = problem.objective(beta)
    assert abs(objective - solution.objective) <= 1e-9 * abs(objective) + off * np.abs(beta).sum() + 1e-300


def machine(model, gram, target, weight):
    """The problem that a fitted estimator states it has solved, and the tolerance in its units."""
    target = np.asarray(target, dtype=float)
    sign = np.where(target == target.max(), 1.0, -1.0)
    match model:
        case SVC():
            return oracles.svc(gram, sign, model.C * weight), model.tol
        case SVR():
            box = model.C * weight
            return replace(oracles.svr(gram, target, 1.0, model.epsilon), lower=-box, upper=box), model.tol
        case NuSVR():  # an ε-SVR with the ε it found
            box = model.C * weight
            return replace(
                oracles.svr(gram, target, 1.0, max(0.0, model.epsilon_)), lower=-box, upper=box
            ), 2 * model.tol
        case NuSVC():  # a C-SVC with C = 1/r, if all is divided by the margin r
            beta = oracles.coefficients(model, len(gram))
            margin = np.sqrt(2 * model.solution_.objective / (beta @ gram @ beta))
            return oracles.svc(gram, sign, weight / margin), 2 * model.tol / margin
        case _:
            total = np.array([model.nu * weight.sum()])
            return replace(oracles.one_class(gram, model.nu), upper=weight, sums=total), model.tol


def check_fit(model, gram, target, weight=None):
    """Status, coefficients and certificate of an estimator, on the Gram matrix of its data."""
    solution, beta = model.solution_, oracles.coefficients(model, len(gram))
    assert model.fit_status_ == int(solution.status not in (Status.CONVERGED, Status.NOT_PSD))
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(beta).all()
    if not isinstance(model, NuSVC | NuSVR):
        problem, tol = machine(model, gram, target, np.ones(len(gram)) if weight is None else weight)
        check(problem, beta, solution, tol)
    elif solution.status is Status.CONVERGED and solution.objective != 0:  # only then they have an equal without ν
        problem, tol = machine(model, gram, target, np.ones(len(gram)) if weight is None else weight)
        assert problem.infeasibility(beta) <= 1e-6
        assert problem.violation(beta) <= tol + rounding(problem, beta)
    return solution


def bound_by_the_primal(model, sign, gram, weight=1.0):
    """Weak duality, from scratch: the primal objective at (w, b) is at least −dual, and the gap is the one stated."""
    beta = oracles.coefficients(model, len(gram))
    f = gram @ beta + model.intercept_[0]
    slack = np.maximum(0.0, 1 - sign * f)
    primal = beta @ gram @ beta / 2 + float((model.C * weight * slack).sum())
    gap = primal + model.solution_.objective
    size = 1e-9 * (abs(primal) + float(np.sum(model.C * weight)))
    assert -size <= gap <= model.solution_.gap + size
