"""Packages and Python's own library as a live lesson wants them: what each lesson imports is compiled, what none reads is left out.

This runs in the Pyodide that will read them, since each Python compiles for itself alone.
"""

import fnmatch
import importlib.util
import io
import sys
import zipfile
from pathlib import Path, PurePosixPath

NOT_READ = (  # for those who build on a package; stubs of libraries that no lesson has, but for a few, since jedi looks for their folder; the lessons, which lie beside it
    "*.h", "*.c", "*.pxd", "*.pyx", "*.a", "numpy/*.pyi", "jedi/third_party/django-stubs/*", "jedi/third_party/typeshed/third_party/2*",
    "helpers/notebooks/*",
)  # fmt: skip
LEXERS = "pygments/lexers"  # of 250 languages; those that nobody has imported can go
ALWAYS = ("__init__.py", "_mapping.py", "python.py")


def slim(path, imported, with_source=False):
    """Rewrite a zip file of Python.

    Parameters
    ----------
    path : of the file
    imported : set of the names in it that every lesson imports
    with_source : whether these stay beside what they are compiled to, for the lines in an error's trace
    """
    path, packed = Path(path), io.BytesIO()
    with zipfile.ZipFile(path) as found, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
        for name in (name for name in found.namelist() if is_read(name, imported)):
            content = found.read(name)
            if name not in imported or with_source:
                kept.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
            if name in imported:
                target = importlib.util.cache_from_source(name) if with_source else f"{name}c"
                kept.writestr(zipfile.ZipInfo(target), compiled(name, content), zipfile.ZIP_DEFLATED)
    path.write_bytes(packed.getvalue())


def is_read(name, imported):
    place = PurePosixPath(name)
    if name in imported:
        return True
    if place.parent.as_posix() == LEXERS:
        return place.name in ALWAYS
    return not name.endswith("/") and not any(fnmatch.fnmatchcase(name, each) for each in NOT_READ)


def compiled(name, source):
    """The content of a .pyc file that Python does not compare with a source."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    return importlib._bootstrap_external._code_to_hash_pyc(code, b"\0" * 8, checked=False)


def imported_by_now():
    """Names of the Python files that lie in a package or in Python's own library, as they stand in the zip files."""
    roots = [f"{root}/" for root in sys.path if root.endswith(("site-packages", ".zip"))]
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return {
        file.removeprefix(root) for file in files for root in roots if file.startswith(root) and file.endswith(".py")
    }


def main(folder, imports):
    """Import what a lesson imports, then rewrite all that lies in the folder."""
    exec("\n".join(imports), {})
    imported = imported_by_now()
    for path in [*Path(folder).glob("*.whl"), Path(folder) / "python_stdlib.zip"]:
        slim(path, imported, with_source=path.name.startswith("attention_lessons"))
