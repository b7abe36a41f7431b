"""Which kernel fits a target: centred alignment, and weights that maximise it."""

from mercer._doors import publish
from mercer.model_selection.alignment import alignment, alignment_weights, centered_alignment

__all__ = ["alignment", "alignment_weights", "centered_alignment"]

publish(__name__, globals())
