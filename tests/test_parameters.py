"""Nested parameters, and the files that hold them."""

import re
import zipfile

import numpy as np
import pytest

from helpers.learning.parameters import from_vector, load, named_arrays, save, to_vector, tree_map
from helpers.support import data_files

RESTORE = re.escape(data_files.AGAIN[:-1])


def model():
    return {"layers": [{"W": np.arange(6.0).reshape(2, 3)}, {"W": np.ones((2, 3))}], "b": np.zeros(3, np.float32)}


@pytest.fixture
def path(tmp_path):
    save(tmp_path / "model.npz", model())
    return tmp_path / "model.npz"


def blank():
    return tree_map(np.zeros_like, model())


def test_load_gives_back_what_was_saved(path):
    loaded = named_arrays(load(path, blank()))
    want = named_arrays(model())
    assert loaded.keys() == want.keys()
    for name, array in want.items():
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].dtype == array.dtype


def test_load_without_the_file_says_which(tmp_path):
    with pytest.raises(FileNotFoundError, match=rf"/model\.npz must be there, but it is missing\. {RESTORE}"):
        load(tmp_path / "model.npz", blank())


def damaged(content):
    """Ways to spoil a file of a few hundred bytes."""
    middle = len(content) // 2
    return {
        "empty": b"",
        "words": b"These are no parameters.",
        "cut in half": content[:middle],
        "cut by a byte": content[:-1],
        "beginning lost": content[10:],
        "zeros in the middle": content[: middle - 40] + bytes(80) + content[middle + 40 :],
        "a number changed": content.replace(np.float64(5.0).tobytes(), np.float64(6.0).tobytes()),
        "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07missing\x94.",
    }


@pytest.mark.parametrize("how", list(damaged(b"")))
def test_load_of_a_damaged_file_says_so(path, how):
    path.write_bytes(damaged(path.read_bytes())[how])
    with pytest.raises(ValueError, match=rf"/model\.npz must hold arrays, but it is damaged: .+ {RESTORE}"):
        load(path, blank())


def test_load_of_any_cut_file_says_so(path):
    content = path.read_bytes()
    for end in range(0, len(content), 7):
        path.write_bytes(content[:end])
        with pytest.raises(ValueError, match="is damaged"):
            load(path, blank())


def test_load_opens_no_pickle(path):
    np.savez(path, **named_arrays(model()) | {"b": np.array([print], dtype=object)})
    with pytest.raises(ValueError, match="is damaged"):
        load(path, blank())


@pytest.mark.parametrize(
    "content",
    [
        b"These are no parameters.",
        b"<!DOCTYPE html><html>",
        b"version https://git-lfs.github.com/spec/v1\n",
        b"PK",
        b"",
    ],
)
def test_load_of_another_kind_of_file_says_so_and_offers_no_unsafe_way(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"it is no \.npz file") as caught:
        load(path, blank())
    assert "pickle" not in str(caught.value) and "unsafe" not in str(caught.value)


def test_load_of_a_pickled_array_says_that_it_may_hold_code(path):
    np.savez(path, **named_arrays(model()) | {"b": np.array([print], dtype=object)})
    with pytest.raises(ValueError, match=r"b in it is a pickle, which may hold code, and is not opened\."):
        load(path, blank())


def test_load_of_an_encrypted_file_says_so(path):
    content = bytearray(path.read_bytes())
    for magic, flags in {b"PK\x03\x04": 6, b"PK\x01\x02": 8}.items():  # of every entry, and of the list at the end
        place = -1
        while (place := content.find(magic, place + 1)) >= 0:
            content[place + flags] |= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is damaged: .*encrypted"):
        load(path, blank())


@pytest.mark.parametrize("compressed", [False, True])
def test_load_of_a_file_with_any_spoiled_byte_says_so_or_reads_it(tmp_path, compressed):
    """No error but ours, whichever byte of the file is turned round."""
    path = tmp_path / "model.npz"
    (np.savez_compressed if compressed else np.savez)(path, **named_arrays(model()))
    content, told = path.read_bytes(), 0
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            load(path, blank())
        except ValueError as error:
            assert str(error).endswith("make it again as data/README.md says."), error
            told += 1
    assert told > len(content) / 2


def test_load_of_an_array_with_a_spoiled_header_says_so(path):
    """Its checksum is right: somebody wrote it so."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("b.npy", b"\x93NUMPY\x01\x00\x16\x00{'descr': ('<f8', (3, \n")
    with pytest.raises(ValueError, match="is damaged"):
        load(path, blank())


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"a": None}, TypeError, "parameters must be arrays of numbers, but a is NoneType."),
        ({"a": [np.ones(2), "b"]}, TypeError, "parameters must be arrays of numbers, but a.1 is str."),
        ({"a": np.array([None])}, TypeError, "parameters must be arrays of numbers, but a holds object."),
        ({"file": np.ones(2)}, ValueError, "parameters must not be called file, a word that NumPy needs itself."),
        ({"allow_pickle": np.ones(2)}, ValueError, "must not be called allow_pickle"),
    ],
)
def test_save_refuses_what_it_could_not_read_back(tmp_path, parameters, error, message):
    with pytest.raises(error, match=re.escape(message)):
        save(tmp_path / "model.npz", parameters)
    assert list(tmp_path.iterdir()) == []


def test_load_of_a_single_array_says_so(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as file:
        file.writestr("notes.txt", "no arrays here")
    with pytest.raises(ValueError, match=r"model\.npz must"):
        load(tmp_path / "model.npz", blank())
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(ValueError, match="is damaged"):
        load(tmp_path / "one.npy", blank())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": np.zeros(4, np.float32)}, r"must hold b as float32 \(3,\), got float32 \(4,\)"),
        ({"b": np.zeros(3)}, r"must hold b as float32 \(3,\), got float64 \(3,\)"),
        ({"b": np.array([0, np.nan, 0], np.float32)}, r"must hold finite numbers, but b has NaN or infinity"),
        ({"layers.0.W": np.zeros((3, 2))}, r"must hold layers\.0\.W as float64 \(2, 3\), got float64 \(3, 2\)"),
        ({"c": np.zeros(1)}, r"it holds an unknown c"),
        ({"b": None}, r"it lacks b"),
    ],
)
def test_load_of_another_model_says_what_does_not_fit(path, change, message):
    arrays = {name: array for name, array in (named_arrays(model()) | change).items() if array is not None}
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=message):
        load(path, blank())


@pytest.mark.parametrize("nested", [{"a": {"b": np.ones(1)}, "a.b": np.ones(1)}, {1: np.ones(1), "1": np.ones(1)}])
def test_two_arrays_never_share_a_name(nested):
    with pytest.raises(ValueError, match=r"names must lead to one array each, but (a\.b|1) leads to two"):
        named_arrays(nested)


def test_what_was_saved_is_found_under_the_name_that_was_given(tmp_path):
    save(tmp_path / "model", {"W": np.ones(2)})
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert load(tmp_path / "model", {"W": np.zeros(2)})["W"].tolist() == [1.0, 1.0]


def test_a_long_row_of_numbers_becomes_the_same_parameters_again():
    nested = {"layers": [{"W": np.arange(6.0).reshape(2, 3)}, {"W": np.ones((1, 2))}], "b": np.array(7.0)}
    row = to_vector(nested)
    assert row.tolist() == [0, 1, 2, 3, 4, 5, 1, 1, 7]
    again = named_arrays(from_vector(2 * row, nested))
    for name, array in named_arrays(nested).items():
        np.testing.assert_array_equal(again[name], 2 * array)
    with pytest.raises(ValueError, match=r"as many numbers as like, 9, got shape \(8,\)"):
        from_vector(row[:-1], nested)
