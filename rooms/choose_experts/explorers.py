"""Send the tokens of a sentence to experts, turn the switches of the router, and even out what each expert has to do."""

import numpy as np

from helpers.since_2017 import experts
from workbench.moving.controls import choose, slider, stops, switch
from workbench.moving.engine import Rule, explorer
from workbench.moving.sums import listed
from workbench.moving.touch import Touch
from workbench.pictures.html import by_width
from workbench.pictures.svg import Drawing

TOKENS = ["Sarah", "was", "walking", "in", "the", "park", "with", "her", "cat", ",", "Alex", "."]
NUM_EXPERTS, NUM_GROUPS, NUM_OPEN = 8, 4, 2
_RNG = np.random.default_rng(0)
_SHARED = _RNG.normal(size=6)  # what all tokens have in common: the router scores it, too
SCORES = (_SHARED + 0.6 * _RNG.normal(size=(len(TOKENS), 6))) @ _RNG.normal(size=(6, NUM_EXPERTS)) / 2
EVEN_OUT = {"evened": 60}
PRESETS = {
    "Mixtral": {"kind": "softmax of all", "renormalised": True, "groups": False, "factor": 1.0},
    "gpt-oss": {"kind": "softmax of the chosen", "renormalised": False, "groups": False, "factor": 1.0},
    "DeepSeek-V3": {"kind": "sigmoid", "renormalised": True, "groups": True, "factor": 2.5},
    "even the load": EVEN_OUT,
}


def explore_router():
    """Turn the five switches of a router, and see where each token of a sentence goes and how much each expert has to do.

    Shown: scores (12, 8) and shares (12, 8); bias (8,); load (8,), tokens that come to each expert; numbers (3, 8), of the
    token that is followed: what its scores say, the same with the bias, and the shares
    """
    return explorer(
        _send,
        lambda now: [
            by_width(_picture(now, 112, 196, 20), _picture(now, 74, 120, 10)),
            now.table("numbers", f"“{TOKENS[now.token]}”", rows=["it says", "and bias", "share"],
                      columns=[str(k + 1) for k in range(NUM_EXPERTS)], decimals=2, corner="expert"),
        ],
        _describe,
        [Rule(lambda now: f"every token goes to {now.k} of 8", lambda now: np.abs((now.shares > 0).sum(axis=-1) - now.k).max(), "a token goes to {:g} more or fewer")],
        presets=PRESETS,
        touch={"tokens": Touch(lambda now, i: {"token": i}, lambda now, i: f"“{TOKENS[i]}” goes to {_goes_to(now, i)}; click to follow it")},
        sums={"numbers": _sum},
        folded=["token"],
        kind=choose("shares are", list(experts.KINDS), "softmax of all"),
        renormalised=switch("divide by their sum"),
        groups=switch("only 2 of 4 groups"),
        factor=choose("factor", [("1", 1.0), ("2.5", 2.5)], 1.0),
        k=slider("experts for each token", 2, 1, 4, 1),
        evened=slider("steps of the bias", 0, 0, 100, 1),
        token=stops("token", [(word, k) for k, word in enumerate(TOKENS)], 8),
    )  # fmt: skip


def _send(kind, renormalised, groups, factor, k, evened, token):
    switches = {"kind": kind, **({"num_groups": NUM_GROUPS, "num_open": NUM_OPEN} if groups else {})}
    bias = experts.evening_bias(SCORES, k, evened, rate=0.1 if kind == experts.KINDS[0] else 0.02, **switches)
    chosen, shares = experts.share_out(SCORES, k, bias=bias, renormalised=renormalised, factor=factor, **switches)
    said = SCORES if kind == experts.KINDS[0] else experts.share_out(SCORES, NUM_EXPERTS, kind=kind).shares
    return {
        **{"scores": SCORES, "bias": bias, "shares": shares, "load": chosen.sum(axis=0)},
        "numbers": np.stack([said[token], said[token] + bias, shares[token]]),
    }


ROW, TOP = 25, 26


def _picture(now, left, right, block):
    """Words on the left, experts on the right, a line for each choice, as thick as its share; a block for each visit."""
    tall, step = ROW * len(TOKENS), ROW * len(TOKENS) / NUM_EXPERTS
    drawing = Drawing(left + right + 56 + block * len(TOKENS) + 30, TOP + tall + 8)
    start, end, bars = left + 6, left + right, left + right + 56
    drawing.words(bars, 14, "tokens that come", size=13, anchor="start", colour="muted")
    middles = [TOP + step * (e + 0.5) for e in range(NUM_EXPERTS)]
    order = sorted(range(len(TOKENS)), key=lambda i: i == now.token)  # the followed one on top
    full = max(now.shares.max(), 1.0)
    for i in order:
        here, y = i == now.token, TOP + ROW * (i + 0.5)
        for e in np.flatnonzero(now.shares[i]):
            width = 1 + 8 * now.shares[i, e] / full
            drawing.line(
                (start, y), (end, middles[e]), "output" if here else "ink", width, stroke_opacity=1 if here else 0.25
            )
        drawing.words(left, y + 5, TOKENS[i], anchor="end", bold=here, colour="output" if here else "ink")
        drawing.box(2, y - ROW / 2, left + 4, ROW, fill="transparent", place=(now.places("tokens"), i))
    for e, y in enumerate(middles):
        drawing.box(end, y - 13, 28, 26, rx=5, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(end + 14, y + 5, f"{e + 1}", bold=True)
        guests = np.flatnonzero(now.shares[:, e])
        for place, i in enumerate(guests):
            look = {"fill": "output", "fill_opacity": 1} if i == now.token else {"fill": "ink", "fill_opacity": 0.55}
            drawing.box(bars + block * place, y - 9, block - 2, 18, rx=2, **look)
        drawing.words(bars + block * len(guests) + 5, y + 5, f"{len(guests)}", size=13, anchor="start", colour="muted")
        if now.groups and e % 2 == 0:
            drawing.line((end + 38, y - 12), (end + 38, middles[e + 1] + 12), "muted", 3)
    even = bars + block * now.k * len(TOKENS) / NUM_EXPERTS
    drawing.line((even, TOP), (even, TOP + tall), "chosen", 1.5, stroke_dasharray="5 4")
    each = "; ".join(f"{token} to {_goes_to(now, i)}" for i, token in enumerate(TOKENS))
    return drawing.html(
        f"Lines from tokens to experts: {each}. Tokens of experts 1 to 8: {', '.join(map(str, now.load))}."
    )


def _goes_to(now, i):
    return listed([f"{e + 1} ({now.shares[i, e]:.2f})" for e in np.flatnonzero(now.shares[i])])


def _sum(now, i, j):
    """How a number below the picture is made."""
    said, with_bias, share = now.numbers[:, j]
    if i == 0:
        score = now.scores[now.token, j]
        return {
            experts.KINDS[0]: f"the score, {score:.2f}",
            experts.KINDS[1]: f"e to the score, {score:.2f}, over the sum of all eight: {said:.2f}",
            experts.KINDS[2]: f"σ of the score, {score:.2f}: {said:.2f}",
        }[now.kind]
    if i == 1:
        return f"{said:.2f} and the bias of expert {j + 1}, {now.bias[j]:+.2f}: {with_bias:.2f}"
    return f"what counts of expert {j + 1}: {share:.2f}" if share else "not chosen"


def _describe(now):
    total = now.shares[now.token].sum()
    return (
        f"“{TOKENS[now.token]}” goes to {_goes_to(now, now.token)}, {total:.2f} in all. "
        f"Experts 1 to 8 get {listed(list(map(str, now.load)))} of the {now.k * len(TOKENS)} visits."
    )
