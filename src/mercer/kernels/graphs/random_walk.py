"""Random walk kernels: common walks of two graphs."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast, final

import mercer._core as _core
from mercer._runtime.limits import require_time
from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import check_choice, check_flag, check_integer, check_real, nonnegative_vector
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import as_graphs
from mercer.kernels.graphs.walks import Walks
from mercer.kernels.packed import PackedKernel
from mercer.kernels.sharing import once

__all__ = ["RandomWalk"]

Form: TypeAlias = Literal["geometric", "exponential", "steps"]

NEAR = 1 - 1e-4  # largest fraction of the radius of convergence
ARC = 1e-9  # seconds per pair of arcs and step


@final
@dataclass(frozen=True)
class RandomWalk(PackedKernel):
    """Random walk kernel  k(G, H) = Σ_l c_l λ^l n_l(G, H), where n_l counts pairs of matching walks of length l.

    A walk may repeat nodes and edges; its length is its number of edges. Two walks match if the labels of their nodes
    agree one by one and, optionally, those of their edges. With weights, a pair of walks counts with the product of its
    edge weights.

    Parameters
    ----------
    decay : float, default=0.1
        λ > 0, the factor for each edge of a walk.
    form : {"geometric", "exponential", "steps"}, default="geometric"
        "geometric": c_l = 1 for all l. "exponential": c_l = 1/l! for all l. "steps": only walks up to a given length.
    n_steps : int, default=None
        Length of the longest walks for ``form="steps"``, with c_l = 1; 0 ≤ n_steps ≤ 100000.
    step_weights : sequence of float, default=None
        c_0, …, c_p ≥ 0 for ``form="steps"``, instead of `n_steps`.
    labeled : bool, default=True
        Whether node labels must agree. With False they are ignored.
    edge_labels : bool, default=False
        Whether edge labels must agree.
    weighted : bool, default=False
        Whether edges count with their weights, which must be ≥ 0.

    Raises
    ------
    ValueError
        If the geometric series of two graphs may diverge. It converges for λ ρ(G) ρ(H) < 1, where ρ is the largest
        eigenvalue of the adjacency matrix. The message names the two graphs and the largest decay for them; the decay
        is never lowered automatically. For ρ a certified upper bound is used, usually with a relative error of 1e-9.

    See Also
    --------
    ShortestPath : Shortest paths instead of walks.
    WeisfeilerLehman : Neighbourhoods instead of walks.

    Notes
    -----
    PSD: Σ c_l λ^l Σ_s n_s(G) n_s(H) over sequences s of l + 1 labels, with coefficients ≥ 0, where n_s
    counts the walks with labels s. There is no `feature_map`. All walks count, not their relative frequency: use the
    normalised kernel for graphs of different sizes. With a small decay, little more than single edges counts (Sugiyama
    & Borgwardt 2015). Edge directions are respected.

    Complexity: k = 1ᵀ f(λA) 1 for the adjacency matrix A of the product graph, with f(t) = 1/(1 − t), exp(t) or a
    polynomial. Without labels and directions f is applied to the spectra: O(n³) once per graph, O(n n') per pair.
    Otherwise A is applied step by step without being formed, O(n m' + n' m) per step for graphs of n, n' nodes and m,
    m' arcs. The number of steps (conjugate gradients, or terms of the series) follows from a proven error bound of
    1e-14 of the value.

    References
    ----------
    * Gärtner, Flach & Wrobel, *On graph kernels: hardness results and efficient alternatives*, COLT 2003.
    * Vishwanathan, Schraudolph, Kondor & Borgwardt, *Graph kernels*, Journal of Machine Learning Research 11,
      1201-1242, 2010.
    * Sugiyama & Borgwardt, *Halting in random walk kernels*, NIPS 28, 2015.

    Examples
    --------
    >>> edge, path = [(0, 1)], [(0, 1), (1, 2)]
    >>> RandomWalk(1.0, form="steps", n_steps=1, labeled=False)([edge, path])  # pairs of nodes plus pairs of arcs
    array([[ 8., 14.],
           [14., 25.]])
    >>> RandomWalk(1.0, labeled=False)([path])
    Traceback (most recent call last):
        ...
    ValueError: RandomWalk: decay=1 is too large for graphs 0 and 0, ...
    """

    name: ClassVar[str] = "random_walk"
    formula: ClassVar[str] = "Σ_l c_l λ^l n_l(G,H)"
    decay: float = 0.1
    _: KW_ONLY
    form: Form = "geometric"
    n_steps: int | None = None
    step_weights: tuple[float, ...] | None = None
    labeled: bool = True
    edge_labels: bool = False
    weighted: bool = False

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "decay": check_real("RandomWalk", "decay", self.decay, low=0.0, strict=True),
            "form": check_choice("RandomWalk", "form", self.form, Form),
        }
        for name in ("labeled", "edge_labels", "weighted"):
            checked[name] = check_flag("RandomWalk", name, getattr(self, name))
        given = (self.n_steps is not None) + (self.step_weights is not None)
        if given != (self.form == "steps"):
            raise ValueError(
                f"RandomWalk: form 'steps' needs either n_steps or step_weights, and other forms neither; got "
                f"n_steps={self.n_steps!r} and step_weights={self.step_weights!r} with form {self.form!r}."
            )
        if self.n_steps is not None:
            checked["n_steps"] = check_integer("RandomWalk", "n_steps", self.n_steps, low=0, high=100_000)
        if self.step_weights is not None:
            checked["step_weights"] = nonnegative_vector("RandomWalk", "step_weights", self.step_weights)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def _rule(self) -> _core.WalkRule:
        factors: tuple[float, ...] = ()
        if self.form == "steps":
            factors = self.step_weights if self.step_weights is not None else (1.0,) * (cast(int, self.n_steps) + 1)
        return _core.WalkRule(getattr(_core.WalkForm, self.form), self.decay, list(factors))

    def pack(self, X: Data) -> Walks:
        graphs = as_graphs(X, "RandomWalk")
        read = self.labeled, self.edge_labels, self.weighted
        return once((Walks, read), graphs, lambda: Walks(graphs, *read))

    def _require_time(self, A: Walks, B: Walks) -> None:
        """Raise CostLimitError if the steps of the largest pair of graphs would take too long."""
        if self.form != "steps":
            return
        steps = len(self.step_weights) if self.step_weights is not None else cast(int, self.n_steps)
        a, b = (side.largest for side in (A, B))
        require_time(
            ARC * steps * a * b,
            what=f"RandomWalk: {steps} steps on the product of graphs with {a} and {b} arcs",
            instead="Use fewer steps, or form='geometric'.",
        )

    def fill(self, A: Walks, B: Walks, out: FloatArray, threads: int) -> None:
        self._require_time(A, B)
        if self.form == "geometric":
            left, right = _chosen(A), _chosen(B)
            self._require_convergence(A, int(left.argmax()), B, int(right.argmax()))
        a, b = _lists(A, B)
        try:
            _core.walk_block(self._rule, a, A.rows, b, B.rows, B is A, cast(DoubleArray, out), threads)
        except OverflowError as error:
            raise self._overflow(error) from None

    def fill_pairs(self, A: Walks, B: Walks, out: FloatArray, threads: int) -> None:
        self._require_time(A, B)
        if self.form == "geometric" and len(A):
            worst = int((_chosen(A) * _chosen(B)).argmax())
            self._require_convergence(A, worst, B, worst)
        a, b = _lists(A, B)
        try:
            _core.walk_pairs(self._rule, a, A.rows, b, B.rows, cast(DoubleArray, out), threads)
        except OverflowError as error:
            raise self._overflow(error) from None

    def _require_convergence(self, A: Walks, i: int, B: Walks, j: int) -> None:
        """Raise ValueError if the series of graph i of A and graph j of B may diverge."""
        i, j = A.number(i), B.number(j)
        radius = float(A.radii[i] * B.radii[j])
        if self.decay * radius > NEAR:
            digits = 10.0 ** (5 - math.floor(math.log10(NEAR / radius)))
            which = (
                f"graphs {i} and {j}" if A.graphs is B.graphs else f"graph {i} of the left and {j} of the right data"
            )
            raise ValueError(
                f"RandomWalk: decay={self.decay:g} is too large for {which}, whose geometric series may diverge; "
                f"use a decay of at most {math.floor(NEAR / radius * digits) / digits:g}, or form='exponential', which "
                "always converges."
            )

    def _overflow(self, error: OverflowError) -> OverflowError:
        return OverflowError(
            f"{self}: {error}; the number of walks grows exponentially with their length, lower decay."
        )

    def proof(self) -> Certificate:
        what = "a power series with coefficients >= 0 in numbers of matching walks, each an inner product"
        return self._certify(Definiteness.PSD, what, "Gärtner, Flach & Wrobel 2003")


def _chosen(A: Walks) -> DoubleArray:
    return A.radii if A.rows is None else A.radii[A.rows]


def _lists(A: Walks, B: Walks) -> tuple[Any, Any]:
    """Both sides in a form that both have: spectra or arcs."""
    if A.has_spectra and B.has_spectra:
        return A.spectra, B.spectra
    return A.arcs, B.arcs
