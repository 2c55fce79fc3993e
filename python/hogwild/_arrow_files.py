# SPDX-License-Identifier: Apache-2.0
"""Parquet, Arrow and Feather files, which are read as tables by pyarrow."""
import contextlib
import os
import tempfile

from ._engine import InputError

BEGINNINGS = (b"PAR1", b"ARROW1", b"FEA1")


def is_arrow_file(path):
    """Whether the file begins as one of these."""
    try:
        with open(path, "rb") as file:
            return file.read(6).startswith(BEGINNINGS)
    except OSError:
        return False  # the reader of the file says why


def _batches(path):
    """The schema of the file and its record batches."""
    import pyarrow
    import pyarrow.parquet

    with open(path, "rb") as file:
        beginning = file.read(6)
    if beginning.startswith(b"PAR1"):
        file = pyarrow.parquet.ParquetFile(path)
        return file.schema_arrow, file.iter_batches()
    if beginning == b"ARROW1":
        file = pyarrow.ipc.open_file(pyarrow.memory_map(path))
        return file.schema, (file.get_batch(k) for k in range(file.num_record_batches))
    import pyarrow.feather

    table = pyarrow.feather.read_table(path)
    return table.schema, table.to_batches()


def _written(column, name, path):
    """A column as its text is written: several values between bars, and values of a dictionary as themselves."""
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if types.is_dictionary(kind):
        return _written(column.dictionary_decode(), name, path)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return compute.binary_join(compute.cast(column, pyarrow.list_(pyarrow.string())), "|")
    if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise InputError(f"{path}: the column '{name}' has the type {kind}, which is not read; leave it out")
    return column


@contextlib.contextmanager
def written_as_table(path):
    """The path of the file's rows as a table of text, for as long as the context lasts."""
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        raise InputError(f"{path}: this is a file of Parquet or Arrow: install pyarrow, which reads it") from None
    with tempfile.TemporaryDirectory(prefix="hogwild-table-") as folder:
        text = os.path.join(folder, "rows.csv")
        try:
            schema, batches = _batches(path)
            writer = None
            for batch in batches:
                columns = [_written(column, name, path) for name, column in zip(schema.names, batch.columns)]
                rows = pyarrow.RecordBatch.from_arrays(columns, names=schema.names)
                writer = writer or pyarrow.csv.CSVWriter(text, rows.schema)
                writer.write_batch(rows)
        except (pyarrow.ArrowException, OSError) as fault:
            raise InputError(f"{path}: pyarrow cannot read it: {fault}") from None
        if writer is None:
            raise InputError(f"{path}: there are no rows")
        writer.close()
        yield text
