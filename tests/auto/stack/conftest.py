"""Stacks of few rows that are divided as those of many rows are."""

import pytest

from mercer.auto.stack import plan, rows, stack


@pytest.fixture
def small_limits(monkeypatch):
    """Set the numbers of rows above which a stack changes its ways."""

    def limit(**sizes):
        for name, value in sizes.items():
            found = [module for module in (plan, rows, stack) if hasattr(module, name)]
            assert found, name
            for module in found:
                monkeypatch.setattr(module, name, value)

    return limit
