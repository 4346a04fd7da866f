"""What `python my_model.py` does: it lists the parts of a learner's model, or writes with them; and how fast a layer writes."""

import argparse
import inspect
import os
import time

from helpers import language_model, parts, yours
from helpers.models import gguf_file

MISSING = f"The language model must be installed, but is not. {language_model.HOW_TO_GET}"


def main(file):
    """Do what the command line asks of the model in this file."""
    os.environ["MY_MODEL"] = os.path.abspath(file)
    parser = argparse.ArgumentParser(description="List the parts of your model, or write with them.")
    parser.add_argument("text", nargs="?", help="a beginning, with which the model goes on")
    parser.add_argument("--tokens", type=int, default=12, help="how many to write")
    asked = parser.parse_args()
    for line in listed() if asked.text is None else written(asked.text, asked.tokens):
        print(line)
    print(yours.summary())


def listed():
    """A line for each part."""
    for part in yours.parts():
        whose = f"yours{leans(part.name)}" if part.by == "you" else "the course's"
        yield f"{part.name:18}  {part.lesson:31}  {whose}"


def leans(name):
    """Which functions of the course a part of the learner's calls, in words."""
    space, own = yours.model()
    waiting, names = [inspect.unwrap(space[name]).__code__], []
    for code in waiting:
        names += code.co_names
        waiting += [each for each in code.co_consts if inspect.iscode(each)]
    modules = [space[each] for each in names if getattr(space.get(each), "__name__", "").startswith("helpers.")]
    found = [each for each in names if any(inspect.isfunction(getattr(module, each, None)) for module in modules)]
    found += [each for each in names if each in parts.LESSONS.keys() - own]
    return f", leans on the course's {', '.join(dict.fromkeys(found))}" if found else ""


def written(text, num_tokens):
    """What the model makes of a text, and how fast; or what must be installed."""
    opened = _opened()
    if opened is None:
        yield MISSING
        return
    words, speed = _timed(yours.write, opened, text, num_tokens)
    yield words
    yield f"\n{num_tokens} tokens, {speed:.1f} a second."


def layer_speed(text="The capital of France is", num_tokens=8):
    """Print what the learner's `model_layer` makes of a text in all layers of the model, and how fast, beside the course's."""
    if "model_layer" not in yours.model().own:
        print(
            "model_layer is still the course's. Once yours is right, this cell writes with it, and says how fast it is."
        )
        return
    opened = _opened()
    if opened is None:
        print(MISSING)
        return
    words, mine = _timed(yours.write, opened, text, num_tokens)
    other, course = _timed(yours.of_the_course().space["write"], opened, text, num_tokens)
    print(words)
    print(f"Written with your layer: {mine:.1f} tokens a second; with the course's: {course:.1f}.")
    if other != words:
        print(f"The course's layer writes something else: {other}")


def _opened():
    """Sizes, tensors, tokenizer and start of the language model, or None where it is not installed."""
    path = language_model.find()
    if path is None:
        return None
    merge = yours.merge_pairs if "merge_pairs" in yours.model().own else None
    sizes, tensors, tokenizer, start = gguf_file.read(path, lambda share: None, merge)
    return sizes, {name.removesuffix(".weight"): tensors[name] for name in tensors}, tokenizer, start


def _timed(write, opened, text, num_tokens):
    """What a `write` makes of a text, and how many tokens a second."""
    sizes, file, tokenizer, start = opened
    ids, begun = start + tokenizer.encode(text), time.perf_counter()
    ids = write(ids, file, sizes, num_tokens)
    return tokenizer.decode(ids), num_tokens / (time.perf_counter() - begun)
