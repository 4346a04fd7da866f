"""Let SmolLM2-135M-Instruct go on with three beginnings by the course's parts, whole, with each part out and with a slip in each:
broken_model.json. It also holds how much a word of a story surprises the model then, and what the whole one might have said instead.

python data/made_by/make_broken_model.py
"""

import json
import os

os.environ["MY_MODEL"] = ""  # the course's parts alone

from helpers import broken, your_program, yours

BEGINNINGS = (
    "The capital of France is",
    "Once upon a time there was a",
    "Sarah was walking in the park with her cat, Alex. The woman's name is",
)

if __name__ == "__main__":
    found = {"written": {text: {} for text in BEGINNINGS}, "surprise": {}, "rivals": {text: [] for text in BEGINNINGS}}
    for text, rivals in found["rivals"].items():
        your_program.written_by(your_program.kept_open(), text, of=yours.of_the_course(), rivals=rivals)
    for way, replaced in broken.WAYS.items():
        opened = your_program.kept_open(replaced)
        texts, found["surprise"][way] = your_program.written_broken(opened, way, BEGINNINGS, yours.of_the_course())
        for text, pieces in texts.items():
            found["written"][text][way] = pieces
        print(way, found["surprise"][way], ["".join(each) for each in texts.values()])
    your_program.STORED.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
