"""All kernel classes of the library.

`mercer.kernels` exports the classes that are imported here, and `mercer.kernels.registry` sorts them into families.
That table is the only list of kernel names. The module of a family exports its kernels by ``__all__``: type checkers
find a new kernel immediately, and a test fails if it is missing in the table.
"""

# ruff: noqa: F403
# There is no __all__: with it, type checkers would not treat star imports and "as" imports as exports.
from mercer.kernels.algebra import Product as Product
from mercer.kernels.algebra import Scaled as Scaled
from mercer.kernels.algebra import Sum as Sum
from mercer.kernels.around import *
from mercer.kernels.bilinear import *
from mercer.kernels.closure import *
from mercer.kernels.conditional import *
from mercer.kernels.discrete import *
from mercer.kernels.dot import *
from mercer.kernels.fingerprints import *
from mercer.kernels.graphs import *
from mercer.kernels.histograms import *
from mercer.kernels.interactions import *
from mercer.kernels.linear_map import *
from mercer.kernels.matern import *
from mercer.kernels.periodic import *
from mercer.kernels.ratio import TanimotoOf as TanimotoOf
from mercer.kernels.stationary import *
from mercer.kernels.strings import *
from mercer.kernels.trees import *
from mercer.kernels.user import User as User
from mercer.kernels.weighted_columns import *
