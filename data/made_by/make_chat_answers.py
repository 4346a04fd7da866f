"""Let SmolLM2-135M-Instruct go on with two questions, as they are and with the marks of a conversation: chat_answers.json.

python data/made_by/make_chat_answers.py
"""

import json

from helpers import language_model
from rooms.let_it_write import answers

QUESTIONS = ("What is the capital of France", "Can you give me three names for a cat")

if __name__ == "__main__":
    model = language_model.load()
    texts = [text for question in QUESTIONS for text in (question, answers.marked(question))]
    found = {text: answers.written(model, text) for text in texts}
    answers.PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
