"""Write checksums.json: the SHA-256 of the data files that lessons read. Run it after a change on purpose, such as an example or a question of your own:

python data/make_checksums.py
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from helpers.support import data_files  # noqa: E402


def main():
    """Of all data files but this table itself and those that only tests read."""
    files = sorted(path for path in HERE.iterdir() if path.suffix in (".jpg", ".json", ".npz"))
    files = [path for path in files if path.name != data_files.CHECKSUMS and not path.stem.endswith("_reference")]
    table = {path.name: data_files.checksum(path.name, path.read_bytes()) for path in files}
    (HERE / data_files.CHECKSUMS).write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
