"""Every kernel class of the library, under its name.

`mercer.kernels` exports what is imported here, and `mercer.kernels.registry` sorts it into families: that
table is the one list of kernel names. A family's file exports its kernels by ``__all__``, so that a new kernel in it
is seen by type checkers at once and missed in the table by the tests.
"""

# ruff: noqa: F403
# No __all__ here: type checkers take star imports and "as" imports for exports only if they find none.
from mercer.kernels.algebra import Product as Product
from mercer.kernels.algebra import Scaled as Scaled
from mercer.kernels.algebra import Sum as Sum
from mercer.kernels.around import *
from mercer.kernels.closure import *
from mercer.kernels.conditional import *
from mercer.kernels.discrete import *
from mercer.kernels.dot import *
from mercer.kernels.graphs import *
from mercer.kernels.histograms import *
from mercer.kernels.periodic import *
from mercer.kernels.ratio import TanimotoOf as TanimotoOf
from mercer.kernels.stationary import *
from mercer.kernels.strings import *
from mercer.kernels.trees import *
from mercer.kernels.user import User as User
