"""Parts of an evaluation: its record, baselines, choices of the folds and duplicates."""
