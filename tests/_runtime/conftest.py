"""Pieces so small that matrices of some hundred rows are computed in many of them."""

import pytest

from mercer._runtime import factors, interrupt, products, spectra


@pytest.fixture
def small_pieces(monkeypatch):
    for module in (factors, interrupt, spectra):
        monkeypatch.setattr(module, "PIECE", 1e5)
    monkeypatch.setattr(products, "_SMALL", 1e4)
    monkeypatch.setattr(factors, "_LEAF", 48)
    monkeypatch.setattr(factors, "_LARGE", 150)
    monkeypatch.setattr(factors, "_ALIGNED", 8)
    monkeypatch.setattr(factors, "_LEAST", 16)
    monkeypatch.setattr(factors, "_DEPTH", 24)
    monkeypatch.setattr(products, "_LEAST", 64)
    monkeypatch.setattr(spectra, "_PANEL", 64)
