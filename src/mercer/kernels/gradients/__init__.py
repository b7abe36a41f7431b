"""Derivatives of kernels in their parameters and in their first argument.

`theta` lists the free parameters, `nodes` has the interface of a differentiated kernel, one file per family implements
it, `table` assigns the classes, and `contract` runs over panels of rows. `mercer.kernels.differentiable` has the public
methods.
"""
