"""Independent answers for the support vector family: kernels, data, conditions of optimality, LIBSVM, dense programs.

Nothing here calls mercer. Every machine is stated once more, in signed coefficients β = yα, as

    min ½ βᵀKβ + qᵀβ + Σ kink_t |β_t|    subject to    lower ≤ β ≤ upper,   Σ_{t in g} β_t = sums_g for each group g.
"""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from libsvm.svm import svm_problem
from libsvm.svmutil import svm_train
from scipy.spatial.distance import cdist
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from threadpoolctl import ThreadpoolController

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "coef0": -0.2},
}
_THREADS = ThreadpoolController()


# ---- data


@dataclass(frozen=True, eq=False)
class Data:
    """Samples with labels for classifiers and numbers for regressors; the last fifth is for testing."""

    X: np.ndarray
    labels: np.ndarray
    target: np.ndarray

    @property
    def n(self) -> int:
        """Number of training samples."""
        return len(self.X) - len(self.X) // 5

    def feasible_nu(self, share: float) -> float:
        """A share of the largest ν that every pair of classes allows."""
        counts = np.unique(self.labels[: self.n], return_counts=True)[1]
        return float(share * min(2 * min(a, b) / (a + b) for a, b in combinations(counts, 2)))


def _quantised(X, steps=64):
    """X on a grid whose products are exact in float32: LIBSVM's rounded rows blur linear machines, or make it cycle."""
    return np.round(steps * X) / steps


def _toy(load, rows, rng):
    X, labels = load(return_X_y=True)
    kept = rng.permutation(len(X))[:rows]
    return _quantised(StandardScaler().fit_transform(X[kept]), 16), labels[kept]


def _exact(made):
    X, labels = made
    return _quantised(X), labels


def _duplicated(rng):
    """Each point three times, one in five with a label of its own."""
    X = _quantised(np.repeat(rng.standard_normal((40, 3)), 3, axis=0))
    labels = (X[:, 0] > 0).astype(int) ^ (rng.random(len(X)) < 0.2)
    order = rng.permutation(len(X))
    return X[order], labels[order]


def _text(rng):
    """Rows of unit length with 1 in 50 entries: bags of words."""
    X = sp.random_array((120, 600), density=0.02, rng=rng, data_sampler=lambda size: rng.integers(1, 5, size)).toarray()
    labels = rng.integers(0, 2, len(X))
    X[:, :20] += (rng.random((len(X), 20)) < 0.15) * labels[:, None]
    return _quantised(X / np.linalg.norm(X, axis=1, keepdims=True)), labels


def _scales(rng):
    """Columns whose scales span two powers of ten."""
    X = rng.standard_normal((80, 5))
    labels = (X.sum(axis=1) + 0.5 * rng.standard_normal(80) > 0).astype(int)
    return _quantised(X * 2.0 ** np.linspace(-4, 3, 5), 128), labels


def _grid(rng):
    """Small whole numbers: many equal distances, many ties."""
    X = rng.integers(-1, 2, (90, 4)).astype(float)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] >= 0).astype(int)


def _imbalanced(rng):
    X = rng.standard_normal((140, 6))
    labels = (np.arange(140) % 14 == 0).astype(int)
    return _quantised(X + 1.2 * labels[:, None]), labels


def _wide(rng):
    labels = rng.integers(0, 2, 50)
    return _quantised(rng.standard_normal((50, 200)) + 0.3 * labels[:, None]), labels


MAKERS = {
    "iris": lambda rng: _toy(datasets.load_iris, 150, rng),
    "wine": lambda rng: _toy(datasets.load_wine, 130, rng),
    "breast_cancer": lambda rng: _toy(datasets.load_breast_cancer, 150, rng),
    "digits": lambda rng: _toy(datasets.load_digits, 150, rng),
    "diabetes": lambda rng: _toy(datasets.load_diabetes, 130, rng),
    "moons": lambda _: _exact(datasets.make_moons(120, noise=0.25, random_state=0)),
    "circles": lambda _: _exact(datasets.make_circles(120, noise=0.1, factor=0.5, random_state=0)),
    "blobs": lambda _: _exact(datasets.make_blobs(120, centers=4, cluster_std=1.2, random_state=0)),
    "duplicated": _duplicated,
    "wide": _wide,
    "text": _text,
    "scales": _scales,
    "grid": _grid,
    "imbalanced": _imbalanced,
}


@cache
def data(name: str) -> Data:
    """The data set of this name, read-only."""
    rng = np.random.default_rng(sum(name.encode()))
    X, labels = MAKERS[name](rng)
    if name == "diabetes":
        target = (labels - labels.mean()) / labels.std()
        labels = (target > 0).astype(int)
    else:
        target = np.sin(X @ rng.standard_normal(X.shape[1]) / np.sqrt(X.shape[1])) + 0.1 * rng.standard_normal(len(X))
    for array in (X, labels, target):
        array.flags.writeable = False
    return Data(X, labels, target)


# ---- kernels


def kernel_matrix(X, Z=None, *, kernel: str, degree: int = 3, coef0: float = 0.0, gamma: float | None = None):
    """k(z, x) in float64 for the kernels of scikit-learn's names; gamma is "scale" of X unless given."""
    Z = X if Z is None else Z
    gamma = 1 / (X.shape[1] * X.var()) if gamma is None else gamma
    match kernel:
        case "linear":
            return Z @ X.T
        case "poly":
            return (gamma * (Z @ X.T) + coef0) ** degree
        case "rbf":
            return np.exp(-gamma * cdist(Z, X, "sqeuclidean"))
        case _:
            return np.tanh(gamma * (Z @ X.T) + coef0)


@cache
def grams(name: str, kernel: str) -> tuple[np.ndarray, np.ndarray]:
    """K of the training samples, and of test against training samples."""
    X, n = data(name).X, data(name).n
    return kernel_matrix(X[:n], **KERNELS[kernel]), kernel_matrix(X[:n], X[n:], **KERNELS[kernel])


# ---- problems


@dataclass(frozen=True, eq=False)
class Problem:
    """One machine; `group` numbers the sum that each variable belongs to."""

    K: np.ndarray
    linear: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    kink: np.ndarray
    group: np.ndarray
    sums: np.ndarray

    def objective(self, beta) -> float:
        """½ βᵀKβ + qᵀβ + Σ kink |β|."""
        return float(beta @ self.K @ beta / 2 + self.linear @ beta + self.kink @ np.abs(beta))

    def scale(self, beta) -> float:
        """The size of the terms of the gradient: rounding errors are multiples of 1e-16 of it."""
        return float((np.abs(self.K) @ np.abs(beta) + np.abs(self.linear) + self.kink).max())

    def infeasibility(self, beta) -> float:
        """How far β is outside the box or its sums are off, relative to the size of the box."""
        outside = np.maximum(self.lower - beta, beta - self.upper).max()
        off = np.abs(np.bincount(self.group, beta, len(self.sums)) - self.sums).max()
        return float(max(outside, off) / np.abs(self.upper - self.lower).max())

    def slopes(self, beta) -> tuple[np.ndarray, np.ndarray]:
        """Slopes of the objective upwards and downwards, infinite at a bound (up to rounding)."""
        gradient = self.K @ beta + self.linear
        near = 1e-12 * (self.upper - self.lower)
        rise = gradient + np.where(beta >= 0, self.kink, -self.kink)
        fall = gradient + np.where(beta > 0, self.kink, -self.kink)
        return np.where(beta >= self.upper - near, np.inf, rise), np.where(beta <= self.lower + near, -np.inf, fall)

    def violation(self, beta) -> float:
        """The steepest descent that a pair of variables still allows: max of the falls − min of the rises."""
        rise, fall = self.slopes(beta)
        groups = (self.group == g for g in range(len(self.sums)))
        return max(0.0, *(float(fall[g].max() - rise[g].min()) for g in groups))

    def violation_at(self, beta, bias) -> float:
        """The same with the multipliers given: slopes + bias must be ≥ 0 upwards and ≤ 0 downwards."""
        rise, fall = self.slopes(beta)
        shift = np.atleast_1d(bias)[self.group]
        return max(0.0, float((-rise - shift).max()), float((fall + shift).max()))

    def lower_bound(self, beta, bias) -> float:
        """What the optimum cannot be below if K is positive semidefinite: the linear model at β, least over the box."""
        slope = self.K @ beta + self.linear + np.atleast_1d(bias)[self.group]
        corners = self.lower, self.upper, np.clip(0.0, self.lower, self.upper)
        ends = [slope * b + self.kink * np.abs(b) for b in corners]
        here = slope * beta + self.kink * np.abs(beta)
        return self.objective(beta) - float((here - np.minimum.reduce(ends)).sum())


def _one_group(K, linear, lower, upper, total=0.0, kink=0.0) -> Problem:
    n = len(K)
    return Problem(K, linear, lower, upper, np.full(n, kink), np.zeros(n, dtype=int), np.array([total]))


def svc(K, sign, C) -> Problem:
    """C-SVC: min ½αᵀQα − Σα, 0 ≤ α ≤ C (a number, or one per sample), yᵀα = 0."""
    return _one_group(K, -sign, np.minimum(sign * C, 0.0), np.maximum(sign * C, 0.0))


def nu_svc(K, sign, nu) -> Problem:
    """ν-SVC: min ½αᵀQα, 0 ≤ α ≤ 1, Σα of either class νn/2."""
    half = nu * len(K) / 2
    zero = np.zeros(len(K))
    group = (sign < 0).astype(int)
    return Problem(K, zero, np.minimum(sign, 0.0), np.maximum(sign, 0.0), zero, group, np.array([half, -half]))


def svr(K, y, C, epsilon) -> Problem:
    """ε-SVR: min ½βᵀKβ − yᵀβ + ε‖β‖₁, |β| ≤ C, Σβ = 0."""
    return _one_group(K, -y, np.full(len(K), -C), np.full(len(K), C), kink=epsilon)


def one_class(K, nu) -> Problem:
    """One-class: min ½αᵀKα, 0 ≤ α ≤ 1, Σα = νn."""
    n = len(K)
    return _one_group(K, np.zeros(n), np.zeros(n), np.ones(n), nu * n)


def svdd(K, nu) -> Problem:
    """SVDD: min ½αᵀKα − ½ΣαK_ii, 0 ≤ α ≤ 1/(νn), Σα = 1."""
    n = len(K)
    return _one_group(K, -np.diag(K) / 2, np.zeros(n), np.full(n, 1 / (nu * n)), 1.0)


# ---- models in scikit-learn's layout


@dataclass(frozen=True, eq=False)
class Machine:
    """A binary machine of a classifier: samples, ±1, coefficients, intercept."""

    members: np.ndarray
    sign: np.ndarray
    coef: np.ndarray
    intercept: float

    def block(self, K) -> np.ndarray:
        """K over the samples of the machine."""
        return K[np.ix_(self.members, self.members)]

    def width(self, nu: float) -> float:
        """r of ν-SVC: coefficients were divided by it after Σα = νn."""
        return float(nu * len(self.sign) / (self.sign @ self.coef))


def machines(model, labels) -> list[Machine]:
    """The binary machines of a fitted classifier, read from `dual_coef_`, `support_` and `intercept_`."""
    classes = np.unique(labels)
    full = _spread(model, len(labels))
    if len(classes) == 2:
        sign = np.where(labels == classes[1], 1.0, -1.0)
        return [Machine(np.arange(len(labels)), sign, full[0], model.intercept_[0])]
    if len(full) == len(classes):  # one against the rest
        every = np.arange(len(labels))
        return [
            Machine(every, np.where(labels == c, 1.0, -1.0), full[i], model.intercept_[i])
            for i, c in enumerate(classes)
        ]
    found = []
    for (i, j), intercept in zip(combinations(range(len(classes)), 2), model.intercept_, strict=True):
        first, second = labels == classes[i], labels == classes[j]
        coef = np.where(first, full[j - 1], np.where(second, full[i], 0.0))
        members = np.flatnonzero(first | second)
        found.append(Machine(members, np.where(first, 1.0, -1.0)[members], coef[members], intercept))
    return found


@contextmanager
def hulls_may_meet():
    """Allows the warning of ν-SVC without a margin, whose machine is zero."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="NuSVC: at nu=.* there is no margin", category=ConvergenceWarning)
        yield


def coefficients(model, n: int) -> np.ndarray:
    """β of a machine without classes, for all n samples."""
    return _spread(model, n)[0]


def _spread(model, n: int) -> np.ndarray:
    """`dual_coef_`, which is sparse after a sparse fit, with a column for each of n samples."""
    coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    full = np.zeros((len(coef), n))
    full[:, model.support_] = coef
    return full


# ---- LIBSVM


def libsvm(K, y, options: str) -> tuple[np.ndarray, float]:
    """β and b of LIBSVM for a Gram matrix, at its tolerance 1e-10; of two classes, +1 is the positive side."""
    n = len(K)
    numbered = np.hstack([np.arange(1.0, n + 1)[:, None], K])
    # Zeros are stored: LIBSVM finds precomputed values by position.
    places = np.tile(np.arange(n + 1), n), np.arange(n + 1) * (n + 1)
    rows = sp.csr_matrix((numbered.ravel(), *places), shape=numbered.shape)
    problem = svm_problem(np.asarray(y, dtype=float), rows, isKernel=True)
    with _THREADS.limit(limits=1, user_api="openmp"):  # its threads cost more than they bring on so few samples
        model = svm_train(problem, f"-t 4 -e 1e-10 -q {options}")
    beta = np.zeros(n)
    beta[np.array(model.get_sv_indices(), dtype=int) - 1] = [model.sv_coef[0][k] for k in range(model.l)]
    classifies = model.param.svm_type in (0, 1)
    side = -1.0 if classifies and model.label[0] < 0 else 1.0
    return side * beta, -side * model.rho[0]


# ---- dense programs


def dense_qp(problem: Problem) -> tuple[np.ndarray, float]:
    """β and a proven lower bound of the optimum, by a primal-dual interior point method with dense factorisations.

    Kinks are removed first: β = u − v with u, v ≥ 0.
    """
    n, kinked = len(problem.K), bool(problem.kink.any())
    signs = np.array([1.0, -1.0]) if kinked else np.array([1.0])
    P = np.kron(np.outer(signs, signs), problem.K)
    q = np.concatenate([s * problem.linear + problem.kink for s in signs])
    A = np.tile(np.eye(len(problem.sums))[:, problem.group], len(signs)) * np.repeat(signs, n)
    low = np.zeros(2 * n) if kinked else problem.lower
    high = np.concatenate([problem.upper, -problem.lower]) if kinked else problem.upper
    x, multiplier = (low + high) / 2, np.zeros(len(A))
    down, up = np.ones(len(x)), np.ones(len(x))  # multipliers of the bounds
    for _ in range(100):
        above, below = x - low, high - x
        mu = (down @ above + up @ below) / (2 * len(x))
        dual = P @ x + q + A.T @ multiplier - down + up
        primal = A @ x - problem.sums
        if mu * len(x) < 1e-10 * max(1.0, abs(x @ P @ x / 2 + q @ x)) and np.abs(dual).max() < 1e-9 * np.abs(P).max():
            break
        target = 0.1 * mu
        H = P + np.diag(down / above + up / below)
        g = -(dual + down - target / above - up + target / below)
        step = np.linalg.solve(np.block([[H, A.T], [A, np.zeros((len(A), len(A)))]]), np.concatenate([g, -primal]))
        dx, dm = step[: len(x)], step[len(x) :]
        ddown, dup = (target - down * dx) / above - down, (target + up * dx) / below - up
        reach = np.concatenate([-dx / above, dx / below, -ddown / down, -dup / up]).max()
        length = min(1.0, 0.995 / reach) if reach > 0 else 1.0
        x, multiplier, down, up = x + length * dx, multiplier + length * dm, down + length * ddown, up + length * dup
    beta = x[:n] - x[n:] if kinked else x
    return beta, problem.lower_bound(beta, multiplier)
