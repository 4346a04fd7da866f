"""Nested parameters, and the files that hold them."""

import re

import numpy as np
import pytest

from helpers.learning.parameters import from_vector, load, named_arrays, save, to_vector, tree_map


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


def test_load_of_a_pickled_array_opens_nothing(path):
    np.savez(path, **named_arrays(model()) | {"b": np.array([print], dtype=object)})
    with pytest.raises(ValueError, match=r"is damaged: Object arrays cannot be loaded when allow_pickle=False\."):
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


@pytest.mark.everything
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


def test_a_long_row_of_numbers_becomes_the_same_parameters_again():
    nested = {"layers": [{"W": np.arange(6.0).reshape(2, 3)}, {"W": np.ones((1, 2))}], "b": np.array(7.0)}
    row = to_vector(nested)
    assert row.tolist() == [0, 1, 2, 3, 4, 5, 1, 1, 7]
    again = named_arrays(from_vector(2 * row, nested))
    for name, array in named_arrays(nested).items():
        np.testing.assert_array_equal(again[name], 2 * array)
    with pytest.raises(ValueError, match=r"as many numbers as like, 9, got shape \(8,\)"):
        from_vector(row[:-1], nested)
