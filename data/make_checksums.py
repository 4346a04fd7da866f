"""Write checksums.json: the SHA-256 of the data files that lessons read. Run it after a change on purpose, such as an example or a question of your own:

python data/make_checksums.py
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from helpers.support import data_files  # noqa: E402

FILES = (
    "attention_maps.npz",
    "copying_model.npz",
    "course_prose.npz",
    "date_losses.npz",
    "date_model.npz",
    "depth_of_stacks.npz",
    "language_model_readings.npz",
    "letter_model.npz",
    "notes_to_lessons.json",
    "questions.json",
    "she_sentences.json",
    "small_trainings.npz",
    "worked_examples.json",
)


def main():
    table = {name: data_files.checksum(name, (HERE / name).read_bytes()) for name in FILES}
    (HERE / data_files.CHECKSUMS).write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
