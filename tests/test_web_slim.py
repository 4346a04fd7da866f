"""What a live lesson fetches: compiled where every lesson imports it, and nothing that none reads."""

import importlib.util
import marshal
import zipfile

import pytest

from web import slim

FILES = {
    "pack/__init__.py": "x = 7",
    "pack/rare.py": "y = 11",
    "pack/notes.h": "int z;",
    "numpy/core.pyi": "",
    "pygments/lexers/python.py": "",
    "pygments/lexers/basic.py": "",
    "pygments/lexers/bash.py": "b = 3",
    "helpers/notebooks/00.ipynb": "{}",
    "jedi/third_party/typeshed/third_party/2and3/yaml.pyi": "",
    "jedi/third_party/typeshed/third_party/3/six.pyi": "",
    "pack-1.dist-info/METADATA": "Name: pack",
}
IMPORTED = {"pack/__init__.py", "pygments/lexers/bash.py"}
STAY = {
    "jedi/third_party/typeshed/third_party/3/six.pyi",
    "pack/rare.py",
    "pygments/lexers/python.py",
    "pack-1.dist-info/METADATA",
}


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "pack.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return path


def test_what_is_imported_is_compiled_and_what_is_not_read_goes(packed):
    slim.slim(packed, IMPORTED)
    with zipfile.ZipFile(packed) as archive:
        assert set(archive.namelist()) == STAY | {f"{name}c" for name in IMPORTED}
        space = {}
        exec(marshal.loads(archive.read("pack/__init__.pyc")[16:]), space)
        assert space["x"] == 7 and archive.read("pack/rare.py") == b"y = 11"


def test_the_source_of_the_course_stays_beside_it(packed):
    slim.slim(packed, IMPORTED, with_source=True)
    with zipfile.ZipFile(packed) as archive:
        assert set(archive.namelist()) == STAY | IMPORTED | set(map(importlib.util.cache_from_source, IMPORTED))
