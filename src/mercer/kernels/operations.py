"""Operations of kernel programs."""

from inspect import Parameter, Signature

from mercer._core import Op

__all__ = ["Op", "Step"]

Step = tuple[Op, int, float, float]

# The core defines the enumeration without documentation.
Op.__doc__ = """Operation of a kernel program, evaluated by the compiled core.

Sources push a number computed from the rows x and z, maps change the number v on top of the stack, and joins replace
the two top numbers by one. a and b are the parameters of the operation.

======================  ==================================================================
dot                     Σ x_k z_k
sqdist                  Σ (x_k − z_k)²
l1                      ``Σ |x_k − z_k|``
chi2                    Σ (x_k − z_k)²/(x_k + z_k), 0/0 = 0
additive_chi2           Σ 2 x_k z_k/(x_k + z_k), 0/0 = 0
min_sum, min_product    Σ min(x_k, z_k), Π min(x_k, z_k)
mismatch                Σ [x_k ≠ z_k]
power_sum               ``Σ |x_k − z_k|^a``
anova_dot               elementary symmetric polynomial of degree a in x_k z_k
anova_rbf               the same in exp(−b (x_k − z_k)²)
interactions            Σ_q c_q E_q, weighted means E_q of products of q columns
input, constant         a block computed by a kernel, the number a
affine                  a v + b
exp                     exp(a v)
sqrt                    √max(v, 0)
power_int, power        v to an integer power, max(v, 0)^a
tanh, log1p             tanh(v), log(1 + max(v, 0))
matern32, matern52      (1 + u) exp(−u), (1 + u + u²/3) exp(−u), u = a v
rational_quadratic      (1 + b v)^(−a)
polynomial              Σ_k c_k v^k
is_zero                 [v = 0]
outer_scale             v f(x) f(z)
outer_ratio             v/(f(x) + f(z) − v), 0/0 = 1
add, multiply           sum and product of the two top numbers
======================  ==================================================================

Parameters
----------
value : int
    Number of the operation in the core.

See Also
--------
Builder : Writes programs of these operations.
VectorKernel : Base class of kernels that write programs.

Examples
--------
>>> from mercer.kernels import Op
>>> Op.sqdist
Op.sqdist
>>> Op(0).name
'dot'
"""
Op.__signature__ = Signature([Parameter("value", Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]
