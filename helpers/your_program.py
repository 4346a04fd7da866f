"""What `python my_model.py` does: it lists the parts of a learner's model, or writes with them, token by token, whole or broken."""

import argparse
import ast
import functools
import inspect
import os
import re
import sys
import time
from typing import NamedTuple

import numpy as np

from helpers import broken, language_model, parts, yours
from helpers.models import gguf_file
from helpers.support import data_files, own_file, threads

MISSING = f"The language model must be installed, but is not. {language_model.HOW_TO_GET}"
STORED = data_files.path("broken_model.json")  # what the course's parts wrote, whole and broken
PATIENCE = 2  # minutes, after which a cell says how long it will take
MOST, BABBLE = 200, 16  # tokens that are written unless a number is given: by a whole model, by a broken one
STORY = (
    "Sarah was walking in the park with her cat, Alex. She was wearing a beautiful gold watch. "
    "The cat wanted to play, but it was late, and so they went home."
)
USER, ANSWER, OVER = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", ("<|im_end|>", "<|endoftext|>")
EXAMPLES = """
examples:
  python my_model.py                                              which parts are yours
  python my_model.py "The capital of France is"                   goes on, to the end of the sentence
  python my_model.py "The capital of France is" --tokens 5        stops after five tokens at the latest
  python my_model.py "The cat" --temperature 0.8 --top-p 0.9      draws, another text each time
  python my_model.py "The cat" --rivals                           and what came next after each choice
  python my_model.py "Name three colours." --talk                 answers, and you ask on
  python my_model.py "The cat" --without causal_mask              with one part out
  python my_model.py "The cat" --wrong merge_heads                with a slip in one part
"""


class Opened(NamedTuple):
    """sizes : dict; file : dict name -> array; tokenizer : encode, decode; start : ids that every text begins with."""

    sizes: dict
    file: dict
    tokenizer: object
    start: list


class Enough(BaseException):
    """Raised to end a `write` that would go on; no part stops it, since it is no error."""


def main(file):
    """Do what the command line asks of the model in this file."""
    os.environ["MY_MODEL"] = os.path.abspath(file)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a notebook's has no need of it
            stream.reconfigure(errors="replace")  # a terminal that knows few letters
    asked = _asked()
    if asked.text is None:
        print("\n".join(listed()))
        print(yours.summary())
        return
    try:
        _written(asked)
    except KeyboardInterrupt:
        print("\nStopped by you.")
        sys.exit(130)
    except MemoryError as error:  # of the model, or of a text of many pages
        _refuse(f"This machine has too little memory for that. {error}".strip().rstrip(".") + ".")


def _asked():
    parser = argparse.ArgumentParser(
        description="List the parts of your model, or write with them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.error = lambda said: _refuse(f"{said[:1].upper()}{said[1:]}. See python my_model.py --help.")
    add = parser.add_argument
    add("text", nargs="*", help="a beginning, in quotes, with which the model goes on")
    add("--tokens", type=_number("tokens", int), help=f"write that many at most; {MOST} unless you say so")
    add("--temperature", type=_number("temperature"), help="0 = always the likeliest; 1 = as likely as the model says")
    add("--top-p", type=_number("top-p"), help="draw from the likeliest tokens alone, which have this share together")
    parser.set_defaults(temperature=0.0, top_p=1.0)
    add("--rivals", action="store_true", help="the three likeliest others beside each token")
    add("--talk", action="store_true", help="the model answers, and you ask on")
    add("--without", metavar="PART", help=f"with one part out: {', '.join(broken.OUT)}")
    add("--wrong", metavar="PART", help=f"with a slip in one part: {', '.join(broken.WRONG)}")
    asked = parser.parse_args()
    if len(asked.text) > 1:
        _refuse(f'The text must be in quotes: python my_model.py "{" ".join(asked.text)}"')
    asked.text = asked.text[0] if asked.text else None
    if asked.text is None and sys.argv[1:]:
        _refuse(f'There must be a text to begin with, in quotes: python my_model.py "The cat" {" ".join(sys.argv[1:])}')
    if asked.text is not None and not asked.text.strip():
        _refuse("The text must hold a word to begin with, but it is empty.")
    if asked.tokens is not None and asked.tokens < 1:
        _refuse(f"--tokens must be at least 1, got {asked.tokens}.")
    if not 0 <= asked.temperature < np.inf:
        _refuse(f"--temperature must be 0 or more, got {asked.temperature:g}.")
    if not 0 < asked.top_p <= 1:
        _refuse(f"--top-p must be above 0 and at most 1, got {asked.top_p:g}.")
    for option, known in (("without", broken.OUT), ("wrong", broken.WRONG)):
        if (name := getattr(asked, option)) is not None and name not in known:
            _refuse(f"--{option} must name one of {', '.join(known)}, got {name}.")
    if asked.without is not None and asked.without == asked.wrong:
        _refuse(f"--without and --wrong must name two parts, got {asked.wrong} twice.")
    return asked


def _number(option, kind=float):
    """What turns the words of an option into a number, or says that they are none."""

    def number(said):
        try:
            return kind(said)
        except ValueError:
            _refuse(f"--{option} must be a {'whole ' * (kind is int)}number, got {said}.")

    return number


def _refuse(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def _written(asked):
    """Write what was asked for, and say whose functions did."""
    replaced = {}
    for name, table, word in ((asked.without, broken.OUT, "Without"), (asked.wrong, broken.WRONG, "With a slip in")):
        if name:
            replaced[name] = table[name]
            print(f"{word} {name}. {table[name].__doc__}")
    opened = open_model(_bar, replaced)
    if opened is None:
        _refuse(MISSING)
    rng, before, text = np.random.default_rng(), [], asked.text
    while True:
        begun = USER + text + ANSWER if asked.talk else text
        ids = before + (opened.start if not before and not asked.talk else []) + opened.tokenizer.encode(begun)
        if len(ids) >= opened.sizes["context"]:
            _refuse(f"The text must be shorter than {opened.sizes['context']:,} tokens, got {len(ids):,}.")
        if not asked.talk:
            yours.show(text)
        room = opened.sizes["context"] - len(ids)
        writing = write(
            opened, ids, min(asked.tokens or (BABBLE if replaced else MOST), room), replaced=replaced, rng=rng,
            temperature=asked.temperature, top_p=asked.top_p, rivals=asked.rivals,
            ends="never" if replaced else "answer" if asked.talk else "sentence",
        )  # fmt: skip
        yours.show(f"\n\n{whose(replaced)} wrote this at {pace(writing.speed)}.", "\n")
        if not asked.talk:
            return
        try:
            text = input("\nYou (Enter ends): ").strip()
        except (EOFError, NotImplementedError):  # nobody types here
            print()
            return
        if not text:
            return
        before = [*writing.ids, *opened.tokenizer.encode("\n")]


def pace(speed):
    """Tokens a second, in words, or a minute where there are too few of them."""
    return f"{speed:.1f} tokens a second" if speed >= 0.1 else f"{60 * speed:.1f} tokens a minute"


class Writing(NamedTuple):
    """ids : those of the beginning, then what was written; logits : for each token written, those it was chosen from, or None; speed : tokens a second."""

    ids: list
    logits: list
    speed: float


def write(opened, ids, num_tokens, *, replaced=None, of=None, tell=None, ends="sentence", rivals=False, **choice):
    """Let `write` go on with a text, and show each token as soon as it is chosen.

    The model's own `read` and `next_token` are listened to: what `next_token` returns, or what `read` is given next, is the token.

    Parameters
    ----------
    opened : Opened
    ids : list of int, the beginning
    num_tokens : int, at most
    replaced : dict part -> function that takes its place
    of : yours.Model; None = the learner's
    tell : called with (token, its logits) as it comes; None = it is printed
    ends : "sentence" = after a full stop, or where the model ends the text; "answer" = there alone; "never" = after num_tokens
    rivals : print the three likeliest others, too
    choice : temperature, top_p and rng of `write`

    Returns
    -------
    Writing
    """
    model, logits, new, times = of or yours.model(), [], [], []
    tell = tell or _printer(opened, rivals, OVER if ends != "never" else ())
    replaced = dict(replaced or {})
    read, choose = (replaced.get(name, model.space[name]) for name in ("read", "next_token"))
    said = opened.tokenizer.decode

    def chosen(token):
        if len(new) >= len(logits):
            return
        if ends == "sentence" and _is_over(said(new), said([token])):
            raise Enough
        new.append(int(token))
        times.append(time.perf_counter())
        tell(new[-1], logits[len(new) - 1])
        if ends != "never" and (said(new).endswith(OVER) or (ends == "sentence" and _is_over(said(new)))):
            raise Enough

    def listening_read(given, *more, **named):
        if logits:
            chosen(given[-1])
        with threads.one_for_few(len(given)):
            found = read(given, *more, **named)
        logits.append(np.asarray(found[0][-1]))
        return found

    def listening_choice(*given, **named):
        token = choose(*given, **named)
        chosen(token)
        return token

    begun = time.perf_counter()
    listen = {"read": listening_read, "next_token": listening_choice}
    careless = np.errstate(all="ignore" if replaced else None)
    with yours.replaced(replaced | listen, model), careless:
        try:
            result = model.space["write"](ids, opened.file, opened.sizes, num_tokens, **choice)
            for token in list(result)[len(ids) + len(new) :]:  # chosen by a way that was not listened to
                logits += [None] * (len(logits) <= len(new))
                chosen(token)
        except Enough:
            pass
    seconds = (times[-1] if times else time.perf_counter()) - begun
    return Writing([*ids, *new], logits[: len(new)], len(new) / seconds)


def _is_over(text, then=None):
    """Whether a text ends with its sentence; after 3. what comes `then` tells, for it may go on to 3.14."""
    text = text.rstrip(" \"'”’)")
    if re.search(r"\d\.$", text):
        return then is not None and not then[:1].isdigit()
    return text.endswith((".", "!", "?"))


def _printer(opened, rivals, silent, show=None):
    """What shows a token as it comes, or prints it; half a letter waits for the other half."""
    waiting, show = [], show or yours.show

    def tell(token, logits):
        waiting.append(token)
        words = opened.tokenizer.decode(waiting)
        if words.endswith("�") and len(waiting) < 4:
            return
        waiting.clear()
        if rivals and logits is not None:
            words = _beside_rivals(words, likeliest(opened, token, logits))
        elif words.endswith(silent):
            return
        show(words)

    return tell


def _beside_rivals(words, found):
    (_, share), *others = found
    beside = ", ".join(f"{word!r} {each:.0%}" for word, each in others)
    return f"\n{words!r:18} {share:4.0%}   rivals: {beside}"


def likeliest(opened, token, logits):
    """list of (word, share): a token, then the three likeliest others."""
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    others = [k for k in np.argsort(-shares)[:4] if k != token][:3]
    return [(opened.tokenizer.decode([k]), round(float(shares[k]), 4)) for k in (token, *others)]


# --- whose it is -----------------------------------------------------------------------------------------------------

RUNS = [
    name
    for name in parts.LESSONS
    if name not in {"self_attention", "encoder_layer", "numerical_gradient", "training_loop"}
]


def whose(replaced=()):
    """Whose functions write, in a sentence's subject: how many are the learner's, and in how many lines."""
    mine = [name for name in RUNS if name in yours.model().own and name not in replaced]
    if not mine:
        return f"The course's {len(RUNS) - len(replaced)} functions"
    lines = sum(map(_lines, mine))
    few = f"{len(mine)} function{'s' * (len(mine) > 1)} of yours, {lines} lines,"
    others = len(RUNS) - len(mine) - len(replaced)
    return few + (f" and {others} of the course's" if others else "")


def _lines(name):
    """How many lines a part has in the learner's file, without empty ones."""
    return sum(bool(line.strip()) for line in source(name).splitlines())


def source(name):
    """The lines of a part: the learner's as they are in the file, or the course's."""
    if name not in yours.model().own:
        return inspect.getsource(getattr(parts, name))
    pieces = own_file.pieces(own_file.read(yours.path()))
    for kept in (piece for piece in pieces if own_file.name_of(piece) == name):
        return kept.partition("\n")[2].partition(own_file.CHANGED)[0]
    return own_file.defined("".join(pieces)).get(name, "")


def listed():
    """A line for each part."""
    for part in yours.parts():
        owner = f"yours{leans(part.name)}" if part.by == "you" else "the course's"
        yield f"{part.name:18}  {part.lesson:31}  {owner}"


def leans(name):
    """Which functions of the course a part of the learner's calls, in words."""
    space, own = yours.model()[:2]
    names = [getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(ast.parse(source(name)))]
    modules = [space[each] for each in names if getattr(space.get(each), "__name__", "").startswith("helpers.")]
    found = [each for each in names if any(inspect.isfunction(getattr(module, each, None)) for module in modules)]
    found += [each for each in names if each in parts.LESSONS.keys() - own]
    return f", leans on the course's {', '.join(dict.fromkeys(found))}" if found else ""


# --- in a lesson -----------------------------------------------------------------------------------------------------


def layer_speed(text="The capital of France is", num_tokens=8):
    """Print what the learner's `model_layer` makes of a text in all layers of the model, and how fast, beside the course's."""
    if "model_layer" not in yours.model().own:
        print(
            "model_layer is still the course's. Once yours is right, this cell writes with it, and says how fast it is."
        )
        return
    opened = kept_open()
    if opened is None:
        print(MISSING)
        return
    ids = opened.start + opened.tokenizer.encode(text)
    mine, course = (
        write(opened, ids, num_tokens, of=of, tell=lambda *_: None, ends="never")
        for of in (yours.model(), yours.of_the_course())
    )
    words, other = (opened.tokenizer.decode(each.ids) for each in (mine, course))
    print(words)
    print(f"Written with your layer: {pace(mine.speed)}; with the course's: {pace(course.speed)}.")
    if other != words:
        print(f"The course's layer writes something else: {other}")


def kept_open(replaced=None):
    """The model, opened once for all cells of a page, or None where it is not installed; `replaced` as in `open_model`."""
    path = language_model.find()
    if path is None:
        return None
    opened = _opened_once(path)
    merge = _merge(replaced)
    return opened._replace(tokenizer=_cut_by(path, merge)) if merge else opened


@functools.lru_cache(maxsize=1)
def _opened_once(path):
    if sys.platform == "emscripten":  # where it takes seconds, and a program has no bar
        yours.show("opening 135 million numbers …", "\n")
    return open_model(replaced={"merge_pairs": None})


_cut_by = functools.lru_cache(maxsize=2)(gguf_file.tokenizer_of)


def go_on(text="The capital of France is", num_tokens=BABBLE, rivals=False, **choice):
    """Print a text, and go on with it token by token to the end of a sentence. Without the model, as the course's parts once did.

    Parameters
    ----------
    text : str
    num_tokens : int, at most
    rivals : print the three likeliest others beside each token, too
    choice : temperature and top_p of `write`
    """
    if sys.platform == "emscripten":
        kept_open()  # which says so
    yours.show(text)
    opened, stored = kept_open(), data_files.json_file(STORED)
    if opened is not None:
        ids = opened.start + opened.tokenizer.encode(text)
        write(opened, ids, num_tokens, rivals=rivals, **{"rng": np.random.default_rng(), **choice})
        yours.show(f"\n{whose()} wrote this.", "\n")
    elif text not in stored["written"] or choice:
        yours.show(f"\n{MISSING}", "\n")
    else:
        pieces = sentence(stored["written"][text]["whole"][:num_tokens])
        for piece, found in zip(pieces, stored["rivals"][text]):
            yours.show(_beside_rivals(piece, found) if rivals else piece)
        yours.show(f"\nThe course's {len(RUNS)} functions wrote this.", "\n")


def sentence(pieces):
    """The pieces of a text up to the end of its sentence."""
    so_far = ""
    for piece in pieces:
        if _is_over(so_far, piece):
            return
        yield piece
        so_far += piece


class Broken(NamedTuple):
    """text : the beginning; by : "you" or "the course"; written : dict way of `broken.WAYS` -> list of tokens, as text;
    surprise : dict way -> nats for a word of a story, on average."""

    text: str
    by: str
    written: dict
    surprise: dict


def break_all(text="The capital of France is"):
    """Break one part after the other, and print how the model goes on with a text, each line as it comes.

    Where the model is installed, the learner's own parts write. Else, and where there are none, it is what the course's wrote.

    Returns
    -------
    Broken, or None where the text can only be written by the model
    """
    stored = data_files.json_file(STORED)
    mine = bool({*RUNS} & yours.model().own)
    opened = kept_open() if mine or text not in stored["written"] else None
    if opened is None and text not in stored["written"]:
        print(MISSING)
        return None
    found = Broken(text, "you" if mine and opened else "the course", {}, {})
    print(f"{'':24}  nats a word   {text} …")
    begun = time.perf_counter()
    for way in broken.WAYS:
        yours.show(f"{way:24}")
        if opened is None:
            found.written[way], found.surprise[way] = stored["written"][text][way], stored["surprise"][way]
        else:
            written, found.surprise[way] = written_broken(kept_open(broken.WAYS[way]), way, [text])
            found.written[way] = written[text]
        cost = found.surprise[way]
        told = "".join(found.written[way]).lstrip(" ").replace("\n", "⏎")
        few = told if len(told) < 66 else told[:65] + "…"
        yours.show(f"{'no number' if cost is None else f'{cost:.1f}':>13}  {few}", "\n")
        minutes = (time.perf_counter() - begun) / 60 * len(broken.WAYS)
        if len(found.written) == 1 and minutes > PATIENCE:
            print(f"One after the other, all take about {minutes:.0f} minutes. Kernel > Interrupt Kernel ends them.")
    return found


def written_by(opened, text, replaced=None, of=None, rivals=None):
    """How a model goes on with a text: list of tokens, as text. `replaced` and `of` as in `write`; the list `rivals` gets what is
    `likeliest` for each of them."""
    pieces, given = [], opened.start + opened.tokenizer.encode(text)
    say = _printer(opened, False, (), pieces.append)

    def tell(token, logits):
        say(token, logits)
        if rivals is not None and len(pieces) > len(rivals) and logits is not None:
            rivals.append(likeliest(opened, token, logits))

    write(opened, given, BABBLE, replaced=replaced, of=of, tell=tell, ends="never")
    return pieces


def written_broken(opened, way, texts, of=None):
    """How a model that is broken in one of `broken.WAYS` goes on with texts, and how much a word of a story surprises it.

    Returns
    -------
    dict text -> list of tokens, as text; nats, or None where it gives no number
    """
    replaced, model, found = broken.WAYS[way], of or yours.model(), {}
    for text in texts:
        found[text] = written_by(opened, text, replaced, model)
    ids = opened.start + opened.tokenizer.encode(STORY)
    with yours.replaced(replaced, model), np.errstate(all="ignore"), threads.one_for_few(len(ids)):
        logits = model.space["read"](ids, opened.file, opened.sizes)[0].astype(float)
        logits -= logits.max(axis=-1, keepdims=True)
        losses = np.log(np.exp(logits).sum(axis=-1)) - logits[np.arange(len(ids)), [*ids[1:], 0]]
    nats = losses[:-1].sum() / len(STORY.split())
    return found, round(float(nats), 4) if np.isfinite(nats) else None


def open_model(say=None, replaced=None):
    """The language model as the parts take it, an Opened, or None where it is not installed.

    Parameters
    ----------
    say : called with the share that is read, from 0 to 1; None = silent
    replaced : dict part -> function; a `merge_pairs` in it cuts the text
    """
    path = language_model.find()
    if path is None:
        return None
    merge = _merge(replaced)
    say = say or (lambda share: None)
    say(0.0)
    sizes, tensors, tokenizer, start = gguf_file.read(path, say, merge)
    return Opened(sizes, {name.removesuffix(".weight"): tensors[name] for name in tensors}, tokenizer, start)


def _merge(replaced):
    """What joins the letters of a word: what takes its place, the learner's, or None, the fastest there is."""
    own = yours.merge_pairs if "merge_pairs" in yours.model().own else None
    return (replaced or {}).get("merge_pairs", own)


def _bar(share):
    """A line that fills while the model is opened, where somebody sees it."""
    if sys.stderr.isatty():
        done = int(30 * share)
        print(f"\ropening 135 million numbers  {'█' * done}{'·' * (30 - done)}", end="", file=sys.stderr, flush=True)
        if share >= 1:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
    elif share == 0:
        print("opening 135 million numbers …", file=sys.stderr, flush=True)
