"""Tables in files whose blocks are read by the workers."""

from typing import Any

from mercer.data.blocks.dask_blocks.source import DaskBlocks

__all__ = ["read_frame"]


def read_frame(files: list[str], target: str, columns: list[str], csv_options: dict[str, Any] | None) -> DaskBlocks:
    """Parquet or CSV files as a source whose blocks are read by the workers.

    Parameters
    ----------
    files : list of str
        Files of one kind, at the same place on all workers.
    target : str
        Column of the targets.
    columns : list of str
        Columns of the features.
    csv_options : dict or None
        Options of ``dask.dataframe.read_csv``; None for Parquet files.
    """
    import dask.dataframe as dd

    frame: Any
    if csv_options is None:
        frame = dd.read_parquet(files, columns=[*columns, target], split_row_groups="adaptive")
    else:
        frame = dd.read_csv(files, **csv_options)
    return DaskBlocks(frame[columns], frame[target])
