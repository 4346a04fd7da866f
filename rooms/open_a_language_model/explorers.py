"""A language model in the reader's hands: what comes next, all of its heads on a wall, and the road that runs through its layers."""

import warnings

import numpy as np

from helpers import language_model
from helpers.models import fetched
from helpers.support import inputs
from rooms.open_a_language_model.roads import ROOMS, road, road_axes, signed, signed_bars
from rooms.open_a_language_model.source import NAMED, NONE, Source
from rooms.open_a_language_model.strip import strip
from rooms.shared import fetching, model_readings
from rooms.shared.heads import Wall, head_map
from workbench import Plane, Touch, bars, bars_up, by_width, choose, explorer, matrices, slider, text_field, visible

REPEATS = {"random, twice": 26}  # the first loss of a token that the text has already foretold
LARGE = 130  # pixels of the one large map
WALL = Wall(30, 9)
BY_LAYER = "by layer"
SCORES = {  # by which the heads can be sorted: function(weights) -> (num_layers, num_heads)
    "first token": lambda weights: weights[..., 1:, 0].mean(axis=-1),
    "word before": lambda weights: np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(axis=-1),
}


def _made(source, build):
    """An explorer that shows how far its model is opened, and lets it go when it is closed."""
    made = build()
    made.children = [*made.children, *fetching.button(fetched.SMOLLM2, made._refresh), source.bar]
    made._listeners.append(source)
    return made


def _text(name):
    """A field with one of the stored texts, to be typed over."""
    field = text_field("text: type, then press Enter", model_readings.load(name).text)
    field.continuous_update, field.layout.min_width = False, "min(600px, 100%)"
    return field


def _stored(name, **more):
    return {"text": model_readings.load(name).text, **more}


# --- what comes next -------------------------------------------------------------------------------------------------


def explore_next_token():
    """Choose a text, turn the temperature, and let the model write on; a click on a word appends it.

    Shown: probabilities (8,) of the likeliest next tokens
    """
    source = Source()

    def steps_of(now):
        return source.draw(now.text, round(now.temperature, 1), now.write)

    def compute(text, temperature, write):
        return {"probabilities": np.array(source.draw(text, round(temperature, 1), write)[-1].probabilities)}

    def append(now, k):
        """What a click on the k-th word sets: the next step of what is stored, or a longer text for the model, where there is one."""
        steps, stored = steps_of(now), model_readings.find(now.text)
        token, drawn = steps[-1].likeliest[k], stored.written.get(round(now.temperature, 1)) if stored else None
        if drawn and drawn[now.write].token == token:
            return {"text": now.text, "write": now.write + 1}  # also where the field holds a text that cannot be read
        if language_model.find() is None:
            return {}
        return {"text": now.text + "".join(step.token for step in steps[:-1]) + token, "write": 0}

    def title(now, k):
        return f"click: append “{visible(steps_of(now)[-1].likeliest[k])}”"

    def show(now):
        steps = steps_of(now)
        words = [visible(token) for token in steps[-1].likeliest]
        told = ", ".join(f"{word} {share:.1%}" for word, share in zip(words, now.probabilities))
        told, title = f"What may come next: {told}.", f"the next token, at temperature {now.temperature:.1f}"
        places, silent = now.places("probabilities"), {"answers": "", "title": lambda *index: ""}
        places = [places if append(now, k) else places._replace(**silent) for k in range(len(words))]
        both = (strip(words, now.probabilities, told, width=width, title=title, places=places) for width in (806, 340))
        written = "".join(step.token for step in steps[:-1])
        return [_running("".join(source.read(now.text)[0]), written), by_width(*both)]

    def say(now):
        first = visible(steps_of(now)[-1].likeliest[0])
        rest = 1 - now.probabilities.sum()
        return (
            f"At temperature {now.temperature:.1f} “{first}” is drawn with probability {now.probabilities[0]:.3f}; "
            f"the {49152 - len(now.probabilities):,} tokens that are not shown share {max(rest, 0):.3f}."
        )

    made = _made(
        source,
        lambda: explorer(
            compute,
            show,
            say,
            presets={name: _stored(name, write=0) for name in ("Paris", "She", "counting", "code", "Mary", "Blixa")}
            | {"write": {"write": model_readings.WRITTEN}},
            touch={"probabilities": Touch(append, title)},
            text=_text("Mary"),
            temperature=slider("temperature", 1.0, 0.1, 2.0, 0.1),
            write=slider("tokens written", 0, 0, model_readings.WRITTEN, 1),
        ),
    )
    *_, buttons = made.children[1].children[0].children
    buttons.children[-1].add_class("explorer-command")  # write
    ends = {"temperature": list(model_readings.WRITTEN_AT), "write": [model_readings.WRITTEN]}
    made.worth_seeing = [ends, {"temperature": None}, {"write": None}]
    made.share = 1.1  # for temperatures up to 1.7
    return made


def _running(prompt, written):
    """The text, behind it in the accent what the model wrote, and the place where it goes on."""
    escaped = [matrices.html.escape(part).replace("\n", "<br>") for part in (prompt, written)]
    markup = (
        '<p style="font-size:clamp(18px,5cqw,24px);line-height:1.4;margin:4px 0 16px;max-width:none;">'
        f'{escaped[0]}<span style="color:var(--chosen,#2563eb);font-weight:600;">{escaped[1]}</span>'
        '<span style="border-left:2px solid var(--chosen,#2563eb);margin-left:2px;"></span></p>'
    )
    return matrices.Html(markup, f"{prompt} → {written}" if written else prompt)


# --- the wall --------------------------------------------------------------------------------------------------------


def explore_head_wall(scores=None):
    """See all 270 heads read a text; a press switches one off, and the next token and the losses follow.

    Parameters
    ----------
    scores : dict words -> function(weights (30, 9, n, n)) -> (30, 9), by which the heads can be sorted; None = two of the course

    Maps, scores, order and sentence are those of the reading with the heads off. Where that is not stored and no model is installed,
    they are those with all heads on, and say so.

    Shown: maps (30, 9, n, n), weights (n, n) of the head in the frame, scores (30, 9), probabilities (8,) and losses (n - 1,);
    without (), how many heads were off when the maps were read
    """
    source, scores = Source(), SCORES if scores is None else inputs.mapping("scores", scores)

    def compute(text, sort, off, layer, head):
        heads_off = _heads(off)
        again = source.reread(text, heads_off)
        maps = (again or source.reread(text, NONE)).weights
        before, after = source.next(text, NONE), source.next(text, heads_off)
        found = {} if sort == BY_LAYER else {"scores": _scored(scores[sort], sort, maps)}
        return {
            "maps": maps, "weights": maps[layer, head], "probabilities": np.array(after.probabilities),
            "losses": np.array(after.losses), "losses_before": np.array(before.losses),
            "without": np.array(len(heads_off) if again else 0), **found,
        }  # fmt: skip

    def toggle(now, x, y):
        found = WALL.head_at(x, y, _order(now))
        return {"layer": found[0], "head": found[1], "off": _words(_heads(now.off) ^ {found})}

    def point(now, x, y):
        return {"text": now.text, "sort": now.sort, **dict(zip(("layer", "head"), WALL.head_at(x, y, _order(now))))}

    twice, told = {"sort": BY_LAYER, "layer": 18, "head": 6}, "point: see this head; press: switch it off or on"
    made = _made(
        source,
        lambda: explorer(
            compute,
            lambda now: _show_wall(now, source),
            lambda now: _say_wall(now, source),
            [],
            presets={
                "Mary": _stored("Mary", off="none"),
                "Mary gives": _stored("Mary gives", off="none"),
                "John gets": _stored("John gets", off="none"),
                "3 heads off": _stored("Mary", off="1.5 23.3 29.1"),
                "random, twice": _stored("random, twice", off="none", **twice),
                "4 that copy off": _stored("random, twice", off="17.3 17.4 17.5 18.6", **twice),
                "4 others off": _stored("random, twice", off="17.0 17.1 17.2 18.1", **twice),
                "16.0 off": _stored("random, twice", off="16.0", **twice),
            },
            planes={"wall": Plane(WALL.axes, toggle, told, drag=False, peek=point)},
            folded=["off", "layer", "head"],
            text=_text("Mary"),
            sort=choose("sort the heads by", [("layer", BY_LAYER), *zip(scores, scores)], BY_LAYER),
            off=text_field("heads that are off (layer.head)", "none"),
            layer=slider("layer", 23, 0, 29, 1),
            head=slider("head", 3, 0, 8, 1),
        ),
    )
    made.worth_seeing = [
        {"sort": [2], "layer": [16], "head": [0]},
        {"layer": None, "head": None},
    ]  # the first one by word before
    made.share, made.kilobytes = 8, 150  # four texts, each with a wall of its own
    made.needs_more = "Here the buttons switch heads off, and every head opens in the first text; any other is switched off by the model itself"
    return made


def _scored(score, words, maps):
    """The score of every head, which must be a number: one over places that a short text has not is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, which says it without the text
        found = np.asarray(score(maps), dtype=float)
    if not np.isfinite(found).all():
        raise ValueError(
            f"The score “{words}” must be a number for every head, got {found[~np.isfinite(found)][0]}: the text may be too "
            f"short for it, with {maps.shape[-1]} tokens."
        )
    return found


def _heads(words):
    try:
        found = model_readings.heads("" if words.strip() == "none" else words)
    except ValueError:
        raise ValueError(f"Heads are named as layer.head, such as 23.3 1.5, got {words!r:.60}.") from None
    for layer, head in found:
        if not (0 <= layer < WALL.shape[0] and 0 <= head < WALL.shape[1]):
            raise ValueError(
                f"Layers go from 0 to {WALL.shape[0] - 1} and heads from 0 to {WALL.shape[1] - 1}, got {layer}.{head}."
            )
    return found


def _words(heads):
    return " ".join(f"{layer}.{head}" for layer, head in sorted(heads)) or "none"


def _order(now):
    """As the heads are sorted: list of (layer, head) from the highest score on, or None."""
    if now.sort == BY_LAYER:
        return None
    best = np.argsort(-now.scores, axis=None, kind="stable")
    return [divmod(int(k), WALL.shape[1]) for k in best]


def _show_wall(now, source):
    order, chosen, off = _order(now), (now.layer, now.head), _heads(now.off)
    words = [visible(token) for token in source.read(now.text)[0]]
    score = f", score {now.scores[chosen]:.2f}" if order else ""
    on = ", with all heads on" if _as_before(now) else ""
    wall = WALL.draw(
        now.maps[..., 1:, :-1],  # without the first token's row, where there is no choice, and the last one's column, which it alone sees
        f"All 270 heads{on}, {'the highest by ' + now.sort + ' first' if order else 'by layer'}; framed: layer {now.layer}, head {now.head}.",
        chosen=chosen, off=off, order=order, limit=1.0,
    )  # fmt: skip
    large = head_map(
        now.weights, words, f"layer {now.layer}, head {now.head}{on or score}", width=LARGE, limit=1.0,
        text=f"Layer {now.layer}, head {now.head}{on}: queries down, keys across.",
    )  # fmt: skip
    title = "the next token" + (" (line: before)" if off else "")
    follow = _follows(source.next(now.text, NONE), source.next(now.text, off), title)
    told = f"The loss of each token, {np.mean(now.losses):.2f} nats on average."
    title, before = "the loss of each token" + (" (line: before)" if off else ""), now.losses_before if off else None
    losses = bars_up(words[1:], now.losses, told, before=before, width=270, height=84, title=title)
    return [wall, (large, follow, losses)]


def _as_before(now):
    """Whether heads are off, and the maps are those with all heads on, because the others are not stored."""
    return now.without < len(_heads(now.off))


def _follows(before, after, title):
    """Bars for what comes next; the token that was first with all heads stays among them."""
    was = dict(zip(before.likeliest, before.probabilities))
    rows = [(token, share, was.get(token, 0.0), f"{share:.1%}") for token, share, *_ in zip(*after[:2])][:6]
    first = before.likeliest[0]
    if first not in after.likeliest[:6]:
        rows[-1] = (first, 0.0, was[first], f"below {after.probabilities[5]:.1%}")
    tokens, shares, earlier, told = zip(*rows)
    words = [visible(token) for token in tokens]
    text = f"What may come next: {', '.join(map(' '.join, zip(words, told)))}."
    return bars(words, shares, text, before=None if after is before else earlier, told=told, width=270, title=title)


def _say_wall(now, source):
    first, second = np.argsort(-now.weights[-1], kind="stable")[:2]
    words = [visible(token) for token in source.read(now.text)[0]]
    stored = model_readings.find(now.text)
    start = REPEATS.get(stored.name, 0) if stored else 0
    part = "the second time" if start else "the text"
    after, before = (np.mean(losses[start:]) for losses in (now.losses, now.losses_before))
    off, speaks, silent = _heads(now.off), "", (now.layer, now.head) in _heads(now.off)
    reread = source.reread(now.text, NONE if _as_before(now) else off)
    if silent and not _as_before(now):
        speaks = ", and adds nothing, because it is off"
    elif stored and stored.name in NAMED:
        mary, john = (signed(heads[now.layer, now.head]) for heads, *_ in reread.shares.values())
        speaks = f", and adds {mary} to the logit of Mary, {john} to John's"
    who = f"{'With all heads on, layer' if _as_before(now) else 'Layer'} {now.layer}, head {now.head}"
    looks = (
        f"{who} looks most at “{words[first]}”, {now.weights[-1, first]:.0%}, then at “{words[second]}”, "
        f"{now.weights[-1, second]:.0%}{speaks}. "
    )
    if not off:
        return f"{looks}{part[0].upper()}{part[1:]} costs {after:.2f} nats per token."
    heads = _words(off) if len(off) < 6 else f"{len(off)} heads"
    return f"{looks}Without {heads} {part} costs {after:.2f} nats per token, with all heads {before:.2f}."


# --- the road --------------------------------------------------------------------------------------------------------


def explore_residual_stream():
    """Follow what speaks for “Mary” and what for “John” through 30 layers, and see which head of a layer brought it.

    Shown: attention and feed_forward (30,), what each layer adds to logit(Mary) - logit(John), and heads (9,) of the chosen layer
    """
    texts = [(model_readings.load(name).text.split(", ")[1], name) for name in NAMED]

    def compute(text, layer):
        (heads, thoughts, start), (other_heads, other_thoughts, other_start) = model_readings.load(text).shares.values()
        moved = {"attention": (heads - other_heads).sum(axis=1), "feed_forward": thoughts - other_thoughts}
        both = np.column_stack([heads[layer], other_heads[layer]])
        return {**moved, "start": np.array(start - other_start), "heads": both}

    def show(now):
        text = f"What each layer adds to the logit of Mary, less that of John; the sum is {_sum(now):.2f}."
        told = ", ".join(f"head {k} {signed(mary)} and {signed(john)}" for k, (mary, john) in enumerate(now.heads))
        told = f"What each head of layer {now.layer} adds to the logits of Mary and of John: {told}."
        names = [f"head {k}" for k in range(len(now.heads))]
        bars = [
            signed_bars(names, now.heads, ("Mary", "John"), told, width, f"layer {now.layer}: {title}")
            for width, title in (
                (780, "what each head adds to the logits of Mary and John"),
                (332, "each head adds to both logits"),
            )
        ]
        roads = (road(now.start, now.attention, now.feed_forward, text, now.layer, room) for room in ROOMS)
        return [by_width(*roads), by_width(*bars)]

    def say(now):
        best = int(np.argmax(np.abs(now.heads[:, 0] - now.heads[:, 1])))
        return (
            f"Layer {now.layer}: attention moves the difference by {signed(now.attention[now.layer])}, the feed-forward network by "
            f"{signed(now.feed_forward[now.layer])}. Head {best} adds {signed(now.heads[best, 0])} to Mary and {signed(now.heads[best, 1])} to John. "
            f"At the end {'Mary' if _sum(now) > 0 else 'John'} is ahead by {abs(_sum(now)):.2f}."
        )

    look = "press or drag: look into this layer"
    return explorer(
        compute,
        show,
        say,
        planes={"road": Plane(road_axes(30), lambda now, x, y: {"layer": round(x)}, look)},
        folded=["layer"],
        text=choose("When Mary and John went to the store, …", texts, NAMED[0]),
        layer=slider("layer", 23, 0, 29, 1),
    )


def _sum(now):
    return float(now.start + now.attention.sum() + now.feed_forward.sum())
