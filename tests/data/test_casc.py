"""Reference files: found under their names, named when absent, replaced with a visible note."""

import pytest

from tacit.base.errors import InputError
from tacit.data.datasets.casc import REFERENCES, load, missing, reference


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    return tmp_path


def test_csv_is_read_under_its_published_name_too(folder):
    (folder / "CASCrefmicrodata.csv").write_text("a,b\n1,2\n3,4\n")
    table, note = load("census", folder)
    assert note == ""
    assert table.to_pydict() == {"a": [1, 3], "b": [2, 4]}


def test_the_environment_names_the_directory(folder, monkeypatch):
    (folder / "eia.csv").write_text("a\n1\n")
    monkeypatch.setenv("TACIT_DATA", str(folder))
    assert missing("eia") is None
    assert reference("eia").num_rows == 1


def test_an_absent_file_is_named_with_the_place_where_it_is_published(folder):
    with pytest.raises(InputError, match=r"'eia'.*not in .*sdcMicro"):
        reference("eia", folder)
    assert "TACIT_DATA is not set" in missing("eia")


def test_census_falls_back_with_a_visible_note_and_others_do_not(folder):
    table, note = load("census", folder)
    assert table.num_rows == 1080
    assert note.startswith("STAND-IN DATA")
    with pytest.raises(InputError):
        load("tarragona", folder)


def test_an_unknown_name_lists_the_known_ones(folder):
    with pytest.raises(InputError, match="census, eia"):
        reference("nothing", folder)


def test_every_reference_says_where_it_is_published():
    for entry in REFERENCES.values():
        assert "sdcMicro" in entry.published


def test_rda_is_read(folder):
    pytest.importorskip("rdata")
    import pandas as pd
    import rdata

    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    rdata.write_rda(str(folder / "EIA.rda"), {"EIA": frame})
    assert reference("eia", folder).to_pydict() == {"a": [1.0, 2.0], "b": [3.0, 4.0]}


@pytest.mark.needs("data")
def test_the_reference_files_have_their_published_shape(reference_data):
    for name in ("census", "testdata", "francdat"):
        table = reference(name, reference_data)
        assert table.num_rows == REFERENCES[name].records
        assert table.num_columns == REFERENCES[name].attributes
