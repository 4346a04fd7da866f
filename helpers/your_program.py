"""What `python my_model.py` does: it lists the parts of a learner's model, or writes with them."""

import argparse
import inspect
import os
import time

from helpers import language_model, parts, yours
from helpers.models import gguf_file


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
    path = language_model.find()
    if path is None:
        yield f"The language model must be installed, but is not. {language_model.HOW_TO_GET}"
        return
    merge = yours.merge_pairs if "merge_pairs" in yours.model().own else None
    sizes, tensors, tokenizer, start = gguf_file.read(path, lambda share: None, merge)
    ids, begun = start + tokenizer.encode(text), time.perf_counter()
    ids = yours.write(ids, {name.removesuffix(".weight"): tensors[name] for name in tensors}, sizes, num_tokens)
    yield tokenizer.decode(ids)
    yield f"\n{num_tokens} tokens, {num_tokens / (time.perf_counter() - begun):.1f} a second."
