"""Files of small tables."""

import gzip


def written(folder, name, file, text):
    """A compressed file in the layout of the data folder."""
    path = folder / "tables" / name / file
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(text.encode()))
