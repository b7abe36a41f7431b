"""Automatic models read a table in memory."""

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.data import ArrayBlocks


@pytest.mark.parametrize("cls", [AutoClassifier, AutoRegressor])
def test_blocks_are_refused(cls):
    blocks = ArrayBlocks(np.ones((6, 2)), rows=3)
    with pytest.raises(TypeError, match=r"expected samples in memory, got ArrayBlocks.* fit another estimator"):
        cls().fit(blocks, [0, 1] * 3)
