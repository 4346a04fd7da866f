"""Data files are whole or refused with a sentence."""

import io
import re

import numpy as np
import pytest

from helpers.support import data_files
from rooms.shared import attention_maps, date_model

ARRAYS = sorted(path.name for path in data_files.FOLDER.glob("*.npz"))


def test_all_weights_that_are_zero_are_refused(tmp_path):
    arrays = data_files.arrays(date_model.PATH)
    np.savez(tmp_path / "zero.npz", **{name: np.zeros_like(array) for name, array in arrays.items()})
    with pytest.raises(ValueError, match=r"zero\.npz must hold what was learned, but all its numbers are 0"):
        date_model.load_model(tmp_path / "zero.npz")


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        ('{"a": NaN}', "it is damaged: NaN is no finite number"),
        ("[1e999]", "it is damaged: 1e999 is no finite number"),
        ("[" * 200_000, "its brackets have no end"),
        ('{"a": ', "it is damaged: "),
        ("", "it is damaged: "),
    ],
    ids=["NaN", "infinity", "brackets", "half", "nothing"],
)
def test_json_without_end_or_value_is_refused(tmp_path, text, damage):
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"a\.json must hold JSON, but {damage}"):
        data_files.json_file(tmp_path / "a.json")


@pytest.mark.parametrize("name", ARRAYS)
def test_a_flipped_bit_in_an_array_is_noticed(tmp_path, name):
    """Each array in the file has a checksum of its own; what lies between them may be any byte."""
    content, whole, told = data_files.path(name).read_bytes(), data_files.arrays(data_files.path(name)), 0
    for place in np.random.default_rng(0).integers(len(content), size=12):
        (tmp_path / name).write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            found = data_files.arrays(tmp_path / name)
        except ValueError as error:
            assert re.search(
                rf"/{re.escape(name)} must hold arrays, but it is damaged: .*\. {re.escape(data_files.AGAIN)}$",
                str(error),
            )
            told += 1
        else:
            assert all(np.array_equal(found[key], array) for key, array in whole.items() if key in found)
    assert told >= 8


def saved(write, *arrays, **named):
    """What a function of NumPy's writes, as bytes."""
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


WHOLE = data_files.path("date_model.npz").read_bytes()
NO_ARRAYS = {
    "half": (WHOLE[: len(WHOLE) // 2], "File is not a zip file"),
    "nothing": (b"", "it is no .npz file"),
    "a pointer of git-lfs": (b"version https://git-lfs.github.com/spec/v1\n", "it is no .npz file"),
    "one array": (saved(np.save, np.ones(3)), "it is no .npz file"),
    "pickle": (saved(np.savez, a=np.array([{}, print], dtype=object)), "Object arrays cannot be loaded"),
}


@pytest.mark.parametrize("reader", [data_files.arrays, date_model.load_model, attention_maps._read])
@pytest.mark.parametrize("kind", NO_ARRAYS)
def test_what_holds_no_arrays_is_refused_by_its_name(tmp_path, reader, kind):
    content, told = NO_ARRAYS[kind]
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=rf"/a\.npz must hold arrays, but it is damaged: {told}.*\."):
        reader(tmp_path / "a.npz")


def test_arrays_come_back_as_numpy_wrote_them(tmp_path):
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.arange(6).reshape(2, 3)), "c": np.array("x")}
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "a.npz", **arrays)
        found = data_files.arrays(tmp_path / "a.npz")
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            assert np.array_equal(found[name], array) and found[name].dtype == array.dtype
            assert found[name].flags.writeable


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ValueError, match="must be a file that can be read, but it cannot"):
        data_files.content_of(tmp_path)
