"""Let the tokenizer of SmolLM2-135M-Instruct cut a few texts: token_cuts.json.

python data/made_by/make_token_cuts.py
"""

import json

from helpers import language_model
from rooms.cut_words_into_tokens import real

if __name__ == "__main__":
    model = language_model.load()
    lines = [f" {json.dumps(text)}: {json.dumps(real.cut_by(model, text))}" for text in real.TEXTS]
    real.PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
