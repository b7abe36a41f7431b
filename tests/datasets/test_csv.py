"""Text tables: how they are written, and what goes wrong with them."""

import csv
import gzip
import io
import re

import polars as pl
import pytest

from mercer.datasets import read


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def to(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


def columns(data):
    return data.X.to_dict(as_series=False)


# ---- separators


@pytest.mark.parametrize(
    ("name", "separator", "told"),
    [
        ("a.csv", ",", ()),
        ("a.csv", ";", ("Fields are separated by semicolons.",)),
        ("a.csv", "\t", ("Fields are separated by tabs.",)),
        ("a.csv", "|", ("Fields are separated by bars.",)),
        ("a.tsv", "\t", ()),
        ("a.tsv", ",", ("Fields are separated by commas.",)),
        ("a.txt", "\t", ()),
        ("a.txt", ",", ("Fields are separated by commas.",)),
        ("a.TXT", ";", ("Fields are separated by semicolons.",)),
    ],
)
def test_separators_are_recognised(file, name, separator, told):
    text = "x,y,words\n1,2.5,red hat\n3,4.5,blue\n".replace(",", separator)
    data = read(file(text, name))
    assert columns(data) == {"x": [1, 3], "y": [2.5, 4.5], "words": ["red hat", "blue"]}
    assert data.notes == told
    assert data.name == "a"
    assert data.target is None
    assert data.y is None


def test_runs_of_blanks_in_txt(file):
    data = read(file("  x   y kind\n 1  2.5\ta\r\n10 -3   b\n", "a.txt"))
    assert columns(data) == {"x": [1, 10], "y": [2.5, -3.0], "kind": ["a", "b"]}
    assert data.notes == ("Fields are separated by runs of blanks.",)


def test_txt_may_hold_a_text_on_each_line(file):
    data = read(file("review\nvery good, thanks\nnot bad\nso, so, so\n", "a.txt"))
    assert columns(data) == {"review": ["very good, thanks", "not bad", "so, so, so"]}


def test_decimal_commas(file):
    data = read(file("x;y;z\n1,5;2;a\n-3;4;1,5\n"))
    assert columns(data) == {"x": [1.5, -3.0], "y": [2, 4], "z": ["a", "1,5"]}
    assert "The comma is the decimal separator in 'x'." in data.notes
    assert read(file("1,5;2,5\n3,0;4,1\n")).X.rows() == [(1.5, 2.5), (3.0, 4.1)]


@pytest.mark.parametrize("content", ["x\ty\n1,234\t1\n999\t2\n", 'x,y\n"1,234",1\n999,2\n'])
def test_commas_that_may_separate_thousands_stay(file, content):
    data = read(file(content))
    assert data.X["x"].to_list() == ["1,234", "999"]
    assert data.notes[-1] == "Commas may separate thousands or decimals, so these columns stay text: 'x'."
    assert read(file("x;y\n1,234;1\n999;2\n")).X["x"].to_list() == [1.234, 999.0]


# ---- encodings


def test_encodings(file):
    text = "ä,ß\n1,žluť\n2,x\n"
    plain = read(file(text))
    assert plain.X.columns == ["ä", "ß"]
    assert plain.notes == ()
    assert columns(read(file(text.encode("utf-8-sig")))) == columns(plain)
    wide = read(file(text.encode("utf-16")))
    assert columns(wide) == columns(plain)
    assert wide.notes == ("The file is UTF-16.",)
    packed = read(file(gzip.compress(text.encode()), "a.csv.gz"))
    assert columns(packed) == columns(plain)
    assert packed.name == "a"


def test_latin_1_is_told(file):
    data = read(file("name,x\nJosé,1\n".encode("latin-1")))
    assert columns(data) == {"name": ["José"], "x": [1]}
    assert data.notes == ("The file is not UTF-8 (byte 10) and was read as Windows-1252, which includes Latin-1.",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not text: neither UTF-8 (byte 0) nor Windows-1252"),
        (bytes(range(256)), "is not text: neither UTF-8"),
        (b"a,b\n1,\x81\xff\n", "is not text: neither UTF-8 (byte 6) nor Windows-1252"),
        (b"a,b\n1,\x00\n", "is binary (a zero byte at 6), expected text"),
        (b"PK\x03\x04junk", "is a zip archive or an Excel workbook, expected text"),
        (b"\xff\xfea", "starts like UTF-16 but is not valid"),
        (gzip.compress(b"a,b\n1,2\n" * 50, mtime=0)[:-9], "the compressed data are corrupt"),
        (b"", "is empty, expected a line with column names and one line per sample"),
        (b"\n \r\n", "is empty"),
        (b"a,b\n", "has column names ('a', 'b') but no samples"),
        (b"a,b\n\n", "has column names ('a', 'b') but no samples"),
    ],
)
def test_what_is_no_table(file, content, message):
    path = file(content)
    with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")) as caught:
        read(path)
    assert "\n" not in str(caught.value)


# ---- lines and quotes


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(file, end, last):
    data = read(file(f'a,b{end}1,"x{end}""y"", z"{end}2,{end if last else ""}'))
    assert columns(data) == {"a": [1, 2], "b": [f'x{end}"y", z', ""]}


def test_blank_lines_are_skipped_and_told(file):
    data = read(file("\na,b\n1,2\n   \n\n3,4\n\n"))
    assert columns(data) == {"a": [1, 3], "b": [2, 4]}
    assert data.notes == ("Blank lines were skipped: 3.",)


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a,b,c\n1,2,3\n4,5\n", 3, "expected 3 fields between commas, as in the first line, got 2"),
        ("a,b,c\n1,2,3,4\n4,5,6\n", 2, "expected 3 fields between commas, as in the first line, got 4"),
        ('a,b\n"1\n2",3\n4,5,6\n', 4, "expected 2 fields between commas, as in the first line, got 3"),
        ('a,b\n1,"2\n3,4\n', 2, "cannot be split into fields (unexpected end of data)"),
        ('a,b\n1,"2"3\n', 2, "cannot be split into fields (',' expected after '\"')"),
        ("a;b\n1;2\n3\n", 3, "expected 2 fields between semicolons"),
    ],
)
def test_broken_lines_are_located(file, content, line, what):
    path = file(content)
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {line}: {what}")):
        read(path)


def test_a_ragged_line_far_below(file):
    path = file("a,b\n" + "1,2\n" * 60_000 + "3\n" + "1,2\n" * 10)
    with pytest.raises(ValueError, match="line 60002: expected 2 fields between commas"):
        read(path)


def test_stray_quotes(file):
    assert columns(read(file('a,b\n5" disk,1\n3" disk,2\n'))) == {"a": ['5" disk', '3" disk'], "b": [1, 2]}
    assert columns(read(file('a, "b, c"\n1, "x, y"\n'))) == {"a": [1], "b, c": ["x, y"]}
    data = read(file('a\tb\n"Well" he said\t1\n"no\t2\n', "a.tsv"))
    assert columns(data) == {"a": ['"Well" he said', '"no'], "b": [1, 2]}
    assert data.notes == ("Quotes do not enclose fields in this file, so they are part of the text.",)
    with pytest.raises(ValueError, match="line 2: cannot be split into fields"):
        read(file('a\tb\n"Well" he said\t1\n2\n', "a.tsv"))


def test_one_column(file):
    assert columns(read(file("a\n1\n2\n"))) == {"a": [1, 2]}
    assert columns(read(file('a\nx\n""\ny\n'))) == {"a": ["x", "", "y"]}


def test_text_that_looks_compressed(file):
    assert columns(read(file("x^2,y\n1,2\n3,4\n"))) == {"x^2": [1, 3], "y": [2, 4]}


# ---- names


def test_names_are_tidied_and_told(file):
    data = read(file(" a ,b,b,,b_2\n1,2,3,4,5\n"))
    assert data.X.columns == ["a", "b", "b_3", "x3", "b_2"]
    assert data.notes == (
        "Blanks around column names were removed: 'a'.",
        "Column names must be unique: column 2 (from 0), another 'b', was renamed to 'b_3', "
        "column 3 (from 0), without a name, was renamed to 'x3'.",
    )


def test_numbers_in_the_first_line(file):
    data = read(file("1,2.5\n3,4\n"))
    assert columns(data) == {"x0": [1, 3], "x1": [2.5, 4.0]}
    assert data.notes == ("The first line holds only numbers, so it is a sample, and columns are called x0 to x1.",)
    data = read(file("0,1,2\n5,6,7\n"))
    assert columns(data) == {"0": [5], "1": [6], "2": [7]}
    assert data.notes == ("The first line numbers the columns; its numbers are used as names.",)


def test_a_name_that_is_also_a_value_is_told(file):
    data = read(file("ham\thello\nspam\tbuy\nham\tbye\n", "a.tsv"))
    assert data.X.columns == ["ham", "hello"]
    assert data.notes[-1].startswith("The first line is used as column names although 'ham' also occurs below it;")


# ---- size


@pytest.mark.parametrize("quoted", [False, True])
def test_many_rows_and_many_columns(file, quoted):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    writer.writerow([f"c{j}" for j in range(12)])
    writer.writerows([i + j / 4 for j in range(11)] + [f"t{i % 7}"] for i in range(60_000))
    X = read(file(text.getvalue())).X
    assert X.shape == (60_000, 12)
    assert X["c3"].sum() == sum(i + 0.75 for i in range(60_000))
    assert X["c11"].n_unique() == 7
    wide = read(file(",".join(f"g{j}" for j in range(1000)) + "\n" + ",".join(["0.5"] * 1000) + "\n")).X
    assert wide.shape == (1, 1000)
    assert set(wide.dtypes) == {pl.Float64}


@pytest.mark.parametrize("content", [b"\n\xc2\xa0\n", b"\n\x1e"])
def test_a_file_of_blanks_that_are_not_ascii(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.csv: is empty, expected a line with column names"):
        read(tmp_path / "a.csv")
