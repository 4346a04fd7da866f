"""Ask only a few: how far windows reach through layers, and what the best keys of an index leave out."""

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.since_2017.sparse import best_mask, heard_through
from helpers.variants import window_mask
from workbench import Drawing, Rule, Touch, choose, exact, explorer, in_two_widths, number, slider, stops

NUM_TOKENS, NUM_LAYERS = 16, 6
WORDS = ["Ada", "met", "Tom", "in", "the", "park", ";", "she"]  # the last one asks
SCORES = np.array([2.0, 0, 1, 0, 0, 0, 0, 0])
INDEX = {"knows names": np.array([3.0, 0, 2, 0, 0, 1, 0, 1]), "prefers the newest": np.arange(8.0)}


def explore_window_reach():
    """Stack layers with a window, and see from which tokens something reaches the last one.

    Shown: heard (7, 16), 1 where something of the token of the column has reached the last token's cone after the layers above that
    row, the input first; reach (), how many tokens reach the last one; kept (), how many keys all layers keep
    """
    alone = "windows alone reach"
    return explorer(
        _stack,
        _layers_of_tokens,
        _tell_reach,
        [Rule(f"{alone} layers × (window − 1) + 1 tokens", _as_by_formula, f"{alone} {{:g}} tokens more or fewer")],
        presets={"windows alone": {"whole": 0}, "layer 2 whole": {"whole": 3}},
        touch={"layer": Touch(_make_whole, lambda now, i: f"let layer {i} see everything, or not")},
        window=slider("window", 3, 1, 6, 1),
        layers=slider("layers", 5, 1, NUM_LAYERS, 1),
        whole=stops("layer without a window", [("none", 0), *((str(k - 1), k) for k in range(1, NUM_LAYERS + 1))], 0),
    )


def explore_best_keys():
    """Let an index choose the keys that *she* asks, and compare with asking all of them.

    Shown: guesses and scores (8,), what the index and the query say of each key; weights (8,) of the chosen keys, whole (8,) of all;
    kept (), how much of the weight of all keys the chosen ones have
    """
    return explorer(
        _choose,
        _rows_of_keys,
        lambda now: f"{now.k} of 8 keys are asked. If all were asked, these would have {now.kept:.0%} of the weight.",
        touch={"guesses": Touch(_ask_up_to, lambda now, i: f"ask as many as it takes to reach “{WORDS[i]}”")},
        k=slider("keys that are asked", 2, 1, 8, 1),
        index=choose("an index that", list(INDEX), "knows names"),
    )


# --- windows ---------------------------------------------------------------------------------------------------------


def _masks(window, layers, whole):
    windowed, everything = window_mask(NUM_TOKENS, window=window), causal_mask(NUM_TOKENS)
    return [everything if layer == whole else windowed for layer in range(1, layers + 1)]


def _stack(window, layers, whole):
    masks = _masks(window, layers, whole)
    heard = [np.arange(NUM_TOKENS) == NUM_TOKENS - 1]
    for mask in masks[::-1]:  # from the last token down: whom it hears, whom these hear, …
        heard.append(heard[-1] @ mask)
    kept = sum(NUM_TOKENS if layer == whole else min(window, NUM_TOKENS) for layer in range(1, layers + 1))
    return {
        "heard": np.array(heard[::-1], dtype=float),
        "reach": np.array(int(heard_through(masks)[-1].sum())),
        "kept": np.array(kept),
    }


def _as_by_formula(now):
    if 1 <= now.whole <= now.layers:
        return None
    return abs(min(NUM_TOKENS, now.layers * (now.window - 1) + 1) - int(now.reach))


def _make_whole(now, i):
    return {"whole": 0 if now.whole == i + 1 else i + 1}


def _tell_reach(now):
    one = "one layer without a window" if 1 <= now.whole <= now.layers else "windows alone"
    return (
        f"{now.layers} layer{'s' * (now.layers > 1)}, window {now.window}, {one}: {now.reach} of {NUM_TOKENS} tokens reach the last "
        f"one, and the layers keep {now.kept} keys; without windows {now.layers * NUM_TOKENS}."
    )


@in_two_widths((38, 92), (17, 62))
def _layers_of_tokens(now, step, left):
    """Tokens across, layers upwards; a line from each token to those that it hears, dark where it leads to the last token."""
    rise = 44
    picture = Drawing(left + NUM_TOKENS * step + 4, 46 + now.layers * rise)
    base, places = 22 + now.layers * rise, now.places("layer")

    def at(layer, token):
        return left + (token + 0.5) * step, base - layer * rise

    masks = _masks(now.window, now.layers, now.whole)
    for dark in (False, True):
        for layer, mask in enumerate(masks, start=1):
            for i, j in np.argwhere(mask):
                if dark == bool(now.heard[layer, i]):
                    thin = layer == now.whole  # its many lines would be one black band
                    look = ("ink", 0.7 if thin else 1.6, 0.35 if thin else 0.75) if dark else ("muted", 0.8, 0.5)
                    picture.line(at(layer, i), at(layer - 1, j), look[0], look[1], stroke_opacity=look[2])
    for layer in range(now.layers + 1):
        for token in range(NUM_TOKENS):
            (x, y), full = at(layer, token), bool(now.heard[layer, token])
            fill, stroke = ("chosen", "chosen") if full else ("paper", "muted")
            picture.add("circle", cx=x, cy=y, r=5, fill=fill, stroke=stroke)
        words = "tokens" if layer == 0 else f"layer {layer - 1}"
        open_wide = layer > 0 and layer == now.whole
        picture.words(left - 11, base - layer * rise + 5, words, size=13, anchor="end",
                      colour="chosen" if open_wide else "muted", bold=open_wide)  # fmt: skip
        if layer:
            picture.box(4, base - layer * rise - 18, left - 12, 36, fill="transparent", place=(places, layer - 1))
    return picture.html(
        f"{now.layers} layers over {NUM_TOKENS} tokens: something of {now.reach} tokens reaches the last token of the top layer."
    )


# --- the best keys ---------------------------------------------------------------------------------------------------


def _choose(k, index):
    chosen = best_mask(INDEX[index][None], k)[0]
    whole = softmax(SCORES, base=3)
    return {
        "guesses": INDEX[index], "scores": SCORES, "weights": softmax(np.where(chosen, SCORES, -np.inf), base=3),
        "whole": whole, "kept": np.array(whole[chosen].sum()),
    }  # fmt: skip


def _ask_up_to(now, i):
    return {"k": int(np.flatnonzero(np.argsort(-now.guesses, kind="stable") == i)[0]) + 1}


@in_two_widths((66, 128), (36, 50))
def _rows_of_keys(now, step, left):
    """Above the words what the index says, below them the weights; a frame around the keys that are asked."""
    wide, floor = step > 40, 66
    side, middle = (56, 28) if wide else (34, 17)
    low = floor + 202  # below the longest weight and its number
    picture, places = Drawing(left + 8 * step + (10 if wide else 0), low + 12), now.places("guesses")
    lines = {
        floor - 16: "index", floor + 29: "key", floor + 58: "score", floor + 100: "weight",
        low: "if all are asked" if wide else "if all",
    }  # fmt: skip
    for y, words in lines.items():
        picture.words(left - (20 if wide else 6), y, words, size=13 if wide else 12, anchor="end", colour="muted")
    for k, word in enumerate(WORDS):
        x, asked = left + k * step, bool(now.weights[k])
        height = 7.0 * now.guesses[k]
        picture.box(x + middle - side / 4, floor - height, side / 2, height, fill="muted", rx=2)
        picture.words(x + middle, floor - height - 5, number(now.guesses[k]), size=12, colour="muted")
        look = {"stroke": "key", "stroke_width": 2.5} if asked else {"stroke": "line", "stroke_width": 1}
        picture.box(x, floor + 8, side, 32, rx=5, fill="none", **look)
        look = {"size": 16 if wide else 13, "font_weight": 600 if asked else None}
        colour = "query" if k == len(WORDS) - 1 else "ink" if asked else "muted"
        picture.words(x + middle, floor + 30, word, colour=colour, **look)
        dark, score, weight = ("ink", number(now.scores[k]), exact(now.weights[k])) if asked else ("muted", "–", "0")
        picture.words(x + middle, floor + 58, score, size=13, colour=dark)
        height = 80 * now.weights[k]
        picture.box(x + side / 7, floor + 84, side / 1.4, max(height, 0.5), fill="ink", rx=2)
        picture.words(x + middle, floor + 100 + height, weight, size=13 if wide else 11, colour=dark)
        picture.words(x + middle, low, exact(now.whole[k]), size=12 if wide else 10.5, colour="muted")
        picture.box(x, 4, side, low, fill="transparent", place=(places, k))
    given = ", ".join(f"{word} {exact(weight)}" for word, weight in zip(WORDS, now.weights, strict=True) if weight)
    return picture.html(f"she asks {now.k} of 8 keys: {given}.")
