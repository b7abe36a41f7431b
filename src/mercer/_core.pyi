"""
The compiled core of mercer; private. Python has validated everything before it arrives here.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def max_threads() -> int: ...

def simd_levels() -> list[str]: ...

def simd_level() -> str: ...

def select_simd(name: str) -> None: ...

def set_question(function: Callable) -> None: ...

class Op(enum.Enum):
    dot = 0

    sqdist = 1

    l1 = 2

    chi2 = 3

    additive_chi2 = 4

    min_sum = 5

    mismatch = 6

    min_product = 7

    power_sum = 8

    anova_dot = 9

    anova_rbf = 10

    interactions = 11

    input = 12

    constant = 13

    affine = 14

    exp = 15

    sqrt = 16

    power_int = 17

    power = 18

    tanh = 19

    log1p = 20

    matern32 = 21

    matern52 = 22

    rational_quadratic = 23

    polynomial = 24

    is_zero = 25

    outer_scale = 26

    outer_ratio = 27

    add = 28

    multiply = 29

class Program:
    def __init__(self, steps: Sequence[tuple[Op, int, float, float]], pool: Sequence[float]) -> None: ...

class Side:
    def __init__(self, n: int) -> None: ...

    def add_dense(self, right: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], left: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)] | None = None, centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def add_csr(self, indptr: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def add_factor(self, factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def select(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Side: ...

@overload
def gram(program: Program, left: Side, right: Side, symmetric: bool, inputs: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def gram(program: Program, left: Side, right: Side, symmetric: bool, inputs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def matmul(program: Program, left: Side, right: Side, symmetric: bool, v: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def matmul(program: Program, left: Side, right: Side, symmetric: bool, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def grouped_matmul(program: Program, left: Side, right: Side, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def grouped_matmul(program: Program, left: Side, right: Side, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def paired(program: Program, left: Side, right: Side, inputs: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def paired(program: Program, left: Side, right: Side, inputs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class RowSource:
    @staticmethod
    def native(program: object, side: object) -> RowSource: ...

    @overload
    @staticmethod
    def matrix(matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> RowSource: ...

    @overload
    @staticmethod
    def matrix(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> RowSource: ...

    @staticmethod
    def callback(n: int, block: Callable, diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RowSource: ...

    @property
    def n(self) -> int: ...

    @property
    def single(self) -> bool: ...

class DualStatus(enum.Enum):
    converged = 0

    max_iter = 1

    not_psd = 2

    precision = 3

class DualOptions:
    def __init__(self, tol: float, max_iter: int, cache_bytes: int, working_set: int, most_polished: int, shrinking: bool, threads: int) -> None: ...

class DualResult:
    @property
    def gradient(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def bias(self) -> tuple: ...

    @property
    def objective(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def violation(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def free(self) -> int: ...

    @property
    def polished(self) -> bool: ...

    @property
    def status(self) -> DualStatus: ...

def solve_dual(source: RowSource, members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], splits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kink: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], options: DualOptions, report: Callable | None = None) -> list[DualResult]: ...

class FeatureResult:
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def gradient(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def bias(self) -> float: ...

    @property
    def objective(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def violation(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def steps(self) -> int: ...

    @property
    def free(self) -> int: ...

    @property
    def status(self) -> DualStatus: ...

@overload
def solve_features(features: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kink: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tol: float, max_iter: int, seed: int, threads: int, report: Callable | None = None) -> list[FeatureResult]: ...

@overload
def solve_features(features: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kink: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tol: float, max_iter: int, seed: int, threads: int, report: Callable | None = None) -> list[FeatureResult]: ...

class CrammerSingerResult:
    @property
    def objective(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def violation(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def status(self) -> DualStatus: ...

def solve_crammer_singer(source: RowSource, label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], beta: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], options: DualOptions, report: Callable | None = None) -> CrammerSingerResult: ...

class Removal(enum.Enum):
    forgetron = 0

    projectron = 1

    random = 2

class Memory:
    def __init__(self, removal: Removal, budget: int, threshold: float, sample: Sequence[int], coef: Sequence[float], mistakes: int, damage: float, largest: float, state: int) -> None: ...

    @property
    def sample(self) -> list[int]: ...

    @property
    def coef(self) -> list[float]: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def damage(self) -> float: ...

    @property
    def largest(self) -> float: ...

    @property
    def state(self) -> int: ...

class KernelMachines:
    def __init__(self, source: object, label: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], f: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], cache_bytes: int) -> None: ...

    def run(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, final: bool, threads: int) -> list: ...

    def refine(self, machine: int, bias: float, threads: int) -> None: ...

def budget_pass(source: RowSource, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], memory: Memory, bias: float, threads: int) -> object: ...

def primal_pass(side: Side, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], bias: float) -> object: ...

def symmetric_product(a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def normal_product(a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def normal_product(a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

def interaction_slopes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], symmetric: bool, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], numerical: int, p: float, orders: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def column_slopes(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], symmetric: bool, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], numerical: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, p: float, g: float, totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> None: ...

def shapley_products(explained: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], negligible: float, pairs: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], threads: int) -> None: ...

class WindowRule:
    def __init__(self, templates: Sequence[tuple[int, Sequence[int], float, int]], bits: int, complement: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, position_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, positional: bool = False, presence: bool = False) -> None: ...

@overload
def keyed_windows(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def keyed_windows(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def keyed_windows(codes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def find_windows(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, wanted: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def find_windows(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, wanted: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def find_windows(codes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: WindowRule, wanted: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def combine_keys(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class KeyIndex:
    def __init__(self) -> None: ...

    def add(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def find(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def __len__(self) -> int: ...

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

@overload
def hamming_block(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, weights: Sequence[float], strands: int, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def hamming_block(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, weights: Sequence[float], strands: int, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def hamming_pairs(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, weights: Sequence[float], strands: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def hamming_pairs(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, weights: Sequence[float], strands: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def keyed_neighbourhoods(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, length: int, mismatches: int, symbols: int, bits: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def keyed_neighbourhoods(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inside: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, length: int, mismatches: int, symbols: int, bits: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def subsequence_block(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: int, decay: float, blended: bool, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def subsequence_block(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: int, decay: float, blended: bool, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def subsequence_pairs(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: int, decay: float, blended: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def subsequence_pairs(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: int, decay: float, blended: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def weighted_degree_block(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], degree: int, shift: int, roots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def weighted_degree_block(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], degree: int, shift: int, roots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def weighted_degree_pairs(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], degree: int, shift: int, roots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def weighted_degree_pairs(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], degree: int, shift: int, roots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def local_alignment_block(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: float, extend: float, logarithm: bool, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def local_alignment_block(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: float, extend: float, logarithm: bool, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def local_alignment_pairs(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: float, extend: float, logarithm: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def local_alignment_pairs(left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: float, extend: float, logarithm: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def subtrees(labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], inner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class TreeList:
    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaves: bool) -> None: ...

    def __len__(self) -> int: ...

class TreeKernel:
    pass

class SubsetTree(TreeKernel):
    def __init__(self, decay: float) -> None: ...

class PartialTree(TreeKernel):
    def __init__(self, decay: float, mu: float, terminal_factor: float) -> None: ...

def tree_block(kernel: TreeKernel, left: TreeList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: TreeList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

def tree_pairs(kernel: TreeKernel, left: TreeList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: TreeList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class GraphList:
    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], directed: bool) -> None: ...

class Direction(enum.Enum):
    outgoing = 0

    incoming = 1

    both = 2

def weisfeiler_lehman(graphs: GraphList, labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_iter: int, edge_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, direction: Direction, threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

def neighborhood_hash(graphs: GraphList, labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_iter: int, bits: int, counted: bool, threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

def count_colors(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], colors: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def graphlets(graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, edge_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, size: int, connected: bool, samples: int, seed: int, most_steps: float, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int, float]: ...

def keyed_paths(graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def find_paths(graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, wanted: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def spectral_radii(graphs: GraphList, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class WalkForm(enum.Enum):
    geometric = 0

    exponential = 1

    steps = 2

class WalkRule:
    def __init__(self, form: WalkForm, decay: float, coefficients: Sequence[float]) -> None: ...

class WalkList:
    def __init__(self, graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, edge_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class SpectrumList:
    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def walk_block(rule: WalkRule, left: WalkList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: WalkList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def walk_block(rule: WalkRule, left: SpectrumList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: SpectrumList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def walk_pairs(rule: WalkRule, left: WalkList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: WalkList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def walk_pairs(rule: WalkRule, left: SpectrumList, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: SpectrumList, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class AttributedGraphs:
    pass

class AttributedPaths(AttributedGraphs):
    def __init__(self, graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, attributes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> None: ...

class GraphHopper(AttributedGraphs):
    def __init__(self, graphs: GraphList, node_labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, attributes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> None: ...

def attributed_block(left: AttributedGraphs, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: AttributedGraphs, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kappa: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetric: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

def attributed_pairs(left: AttributedGraphs, left_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, right: AttributedGraphs, right_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kappa: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def longest_paths(graphs: GraphList, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def propagate(graphs: GraphList, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...
