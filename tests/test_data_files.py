"""Data files are whole or refused with a sentence, quickly and without filling the memory."""

import json
import shutil
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from helpers.learning import date_model
from helpers.models import attention_maps
from helpers.sources import words
from helpers.support import data_files

CHECKED = sorted(  # what lessons read: all but the table of checksums, and what only tests read
    path.name
    for path in data_files.FOLDER.iterdir()
    if path.suffix in (".jpg", ".json", ".npz")
    and path.name != data_files.CHECKSUMS
    and not path.stem.endswith("_reference")
)


def copied(folder, *names):
    """Copies of data files in a folder of their own; returns the path of the first."""
    for name in names:
        (folder / name).write_bytes(data_files.path(name).read_bytes())
    return folder / names[0]


def test_checksums_are_those_of_the_files():
    table = json.loads(data_files.path(data_files.CHECKSUMS).read_text(encoding="utf-8"))
    assert table == {name: data_files.checksum(name, data_files.path(name).read_bytes()) for name in CHECKED}
    assert list(table) == CHECKED


@pytest.mark.parametrize("name", ["worked_examples.json", "questions.json", "notes_to_lessons.json"])
def test_an_entry_of_ones_own_is_taken_once_its_checksum_is_renewed(tmp_path, name):
    shutil.copytree(data_files.FOLDER, tmp_path / "data", ignore=shutil.ignore_patterns("*.png"))
    shutil.copytree(
        Path(data_files.__file__).parents[1], tmp_path / "helpers", ignore=shutil.ignore_patterns("__pycache__", "data")
    )
    path = tmp_path / "data" / name
    own = path.read_text(encoding="utf-8").rstrip() + "\n\n"  # a teacher's editor at work
    path.write_text(own, encoding="utf-8")
    with pytest.raises(
        ValueError, match=rf"{name} must be .* After a change on purpose, run python data/make_checksums\.py\."
    ):
        data_files.json_file(path)
    subprocess.run([sys.executable, tmp_path / "data" / "make_checksums.py"], check=True)
    assert data_files.json_file(path) == json.loads(own)


def test_all_weights_that_are_zero_are_refused(tmp_path):
    arrays = data_files.arrays(date_model.PATH)
    np.savez(tmp_path / "zero.npz", **{name: np.zeros_like(array) for name, array in arrays.items()})
    with pytest.raises(ValueError, match=r"zero\.npz must hold what was learned, but all its numbers are 0"):
        date_model.load_model(tmp_path / "zero.npz")


@pytest.mark.parametrize("name", CHECKED)
def test_a_flipped_bit_anywhere_is_noticed(tmp_path, name):
    path = copied(tmp_path, name, data_files.CHECKSUMS)
    content = path.read_bytes()
    assert data_files.content_of(path) == content
    for place in np.random.default_rng(0).integers(len(content), size=20):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(
            ValueError, match=rf"{name} must be as the course brought it, but it was changed or damaged"
        ):
            data_files.content_of(path)


def test_text_may_end_its_lines_as_windows_does(tmp_path):
    path = copied(tmp_path, "she_sentences.json", data_files.CHECKSUMS)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert data_files.json_file(path) == data_files.json_file(words.PATH)


def test_a_file_without_a_checksum_is_read(tmp_path):
    assert "embedding" in data_files.arrays(copied(tmp_path, "date_model.npz"))


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


def npy(shape, content, descr="<f8"):
    """An .npy file that says of itself what one likes."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + content


def bomb(path, **arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in arrays.items():
            file.writestr(f"{name}.npy", content)


BOMBS = {
    "one that says how large it is": {"losses": npy((2**25,), bytes(2**28))},
    "one that says that it is small": {"losses": npy((3,), bytes(2**28))},
    "one that says that it is large": {"losses": npy((2**40,), bytes(8))},
    "many": {f"a{k}": npy((2**20,), bytes(2**23)) for k in range(20)},
}


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for number, arrays in enumerate(BOMBS.values()):
        bomb(folder / f"{number}.npz", **arrays)
    return {name: folder / f"{number}.npz" for number, name in enumerate(BOMBS)}


@pytest.mark.everything
@pytest.mark.parametrize("how", BOMBS)
@pytest.mark.parametrize("reader", [date_model.load_model, attention_maps._read])
def test_a_zip_bomb_is_refused_at_once_and_in_little_memory(bombs, reader, how):
    tracemalloc.start()
    start = time.process_time()
    try:
        with pytest.raises(ValueError, match=r"\d\.npz must"):
            reader(bombs[how])
        assert time.process_time() - start < 1
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_a_huge_file_is_not_even_read(tmp_path):
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(2**33)  # a hole, of no size on the disk
    with pytest.raises(ValueError, match=r"huge\.json must have at most 16,777,216 bytes, got 8,589,934,592"):
        data_files.json_file(tmp_path / "huge.json")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (npy((2,), bytes(8)), "a in it is not as long as it says"),
        (npy((1,), bytes(16)), "a in it is not as long as it says"),
        (npy((1,), bytes(8), "|O"), "a in it is a pickle"),
        (npy((-1,), bytes(2**16)), "a in it has a shape of negative length"),
        (b"\x93NUMPY\x07\x00" + bytes(80), "a in it is of an unknown version"),
        (b"no array", "is damaged"),
    ],
)
def test_an_array_that_lies_about_itself_is_refused(tmp_path, content, told):
    bomb(tmp_path / "a.npz", a=content)
    with pytest.raises(ValueError, match=told):
        data_files.arrays(tmp_path / "a.npz")


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
