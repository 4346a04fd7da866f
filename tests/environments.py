"""Run the tests, by default those that need no browser, at one end of the version ranges in the lists of requirements.

python -m tests.environments lowest                    the oldest version of each line
python -m tests.environments latest --python 3.13      what pip installs today, on another Python
python -m tests.environments lowest --browser          the browser tests too

The environment is made from scratch in a temporary folder and removed afterwards. Further arguments go to pytest:
python -m tests.environments lowest -- -k softmax
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENTS = "requirements-test.txt"


def find_python(version):
    """Path of the interpreter of that version: the running one, one on the PATH, or one that pyenv or `py` knows."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if version in (None, running):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    commands = [["py", f"-{version}"], [f"python{version}"]]
    commands += [[str(path)] for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    code = "import sys; print(sys.executable)"
    for command in commands:
        if shutil.which(command[0]):
            answer = subprocess.run([*command, "-c", code], capture_output=True, text=True)
            if answer.returncode == 0:  # pyenv puts commands on the PATH that only say that they are not active
                return answer.stdout.strip()
    raise SystemExit(f"Python {version} must be installed, found none on the PATH and none that pyenv or py knows.")


def direct_requirements():
    """Names of the packages that pyproject.toml and the files of requirements list."""
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    for name in ("requirements.txt", REQUIREMENTS):
        lines += (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [found.group() for line in lines if (found := re.match(r"[A-Za-z][\w.-]*", line))]


def install(python, end):
    """Install what the tests need into the environment of `python`, at one end of its ranges."""
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if end == "latest":
        command = [*pip, "-r", REQUIREMENTS]
    else:
        subprocess.run([*pip, "uv"], check=True)
        resolution = ["--resolution", "lowest-direct"]
        command = [python, "-m", "uv", "pip", "install", "--quiet", "--python", python, *resolution]
        command += ["-r", REQUIREMENTS]
    subprocess.run(command, cwd=ROOT, check=True)


def print_versions(python):
    """Say which versions are about to be tested."""
    code = "import sys; from importlib.metadata import version as v; print('python', sys.version.split()[0])\n"
    code += "for name in sys.argv[1:]: print(name, v(name))"
    subprocess.run([python, "-c", code, *direct_requirements()], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("end", choices=["lowest", "latest"])
    parser.add_argument("--python", metavar="3.12", help="another Python than the running one")
    parser.add_argument("--browser", action="store_true", help="run the browser tests too")
    parser.add_argument("pytest_arguments", nargs="*", help="after --, passed to pytest")
    options = parser.parse_args()
    base = find_python(options.python)
    with tempfile.TemporaryDirectory(prefix="lessons-", ignore_cleanup_errors=True) as folder:
        subprocess.run([base, "-m", "venv", folder], check=True)
        python = str(Path(folder) / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
        install(python, options.end)
        print_versions(python)
        tests = [python, "-m", "pytest", "-p", "no:cacheprovider", *options.pytest_arguments]
        tests += [] if options.browser else ["--ignore=tests/browser"]
        return subprocess.run(tests, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
