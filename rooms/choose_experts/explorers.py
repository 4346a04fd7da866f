"""Send the tokens of a sentence to experts, turn the switches of the router, and even out what each expert has to do."""

import numpy as np

from helpers.since_2017 import experts
from rooms.shared import ribbons
from workbench import Drawing, Rule, Touch, by_width, choose, explorer, listed, slider, stops, switch

TOKENS = ["Sarah", "was", "walking", "in", "the", "park", "with", "her", "cat", ",", "Alex", "."]
NUM_EXPERTS, NUM_GROUPS, NUM_OPEN = 8, 4, 2
_RNG = np.random.default_rng(0)
_SHARED = _RNG.normal(size=6)  # what all tokens have in common: the router scores it, too
SCORES = (_SHARED + 0.6 * _RNG.normal(size=(len(TOKENS), 6))) @ _RNG.normal(size=(6, NUM_EXPERTS)) / 2
EVEN_OUT = {"evened": 60}
PRESETS = {
    "Mixtral": {"kind": "softmax of all", "renormalised": True, "groups": False, "factor": 1.0, "evened": 0},
    "gpt-oss": {"kind": "softmax of the chosen", "renormalised": False, "groups": False, "factor": 1.0, "evened": 0},
    "DeepSeek-V3": {"kind": "sigmoid", "renormalised": True, "groups": True, "factor": 2.5, "evened": 0},
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
                      columns=[str(k) for k in range(NUM_EXPERTS)], decimals=2, corner="expert"),
        ],
        _describe,
        [Rule(lambda now: f"every token goes to {now.k} of 8", lambda now: np.abs((now.shares > 0).sum(axis=-1) - now.k).max(), "a token goes to {:g} more or fewer")],
        presets=PRESETS,
        touch={"tokens": Touch(lambda now, i: {"token": i}, lambda now, i: f"“{TOKENS[i]}” goes to {_goes_to(now, i)}; click to follow it")},
        sums={"numbers": _sum},
        folded=["token"],
        kind=choose("softmax of", dict(zip(("chosen", "all", "none: sigmoid"), experts.KINDS)), "softmax of all"),
        renormalised=switch("divide by their sum"),
        groups=switch("only 2 of 4 groups"),
        factor=choose("factor", [("1", 1.0), ("2.5", 2.5)], 1.0),
        k=slider("experts for each token", 2, 1, 4, 1),
        evened=slider("bias steps", 0, 0, 100, 1),
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
    """Words on the left, experts on the right, a ribbon for each choice, as wide as its share; a block for each visit."""
    tall, step = ROW * len(TOKENS), ROW * len(TOKENS) / NUM_EXPERTS
    drawing = Drawing(left + right + 56 + block * len(TOKENS) + 30, TOP + tall + 20)
    end, bars = left + right, left + right + 56
    drawing.words(bars, 14, "tokens that come", size=13, anchor="start", colour="muted")
    middles = [TOP + step * (e + 0.5) for e in range(NUM_EXPERTS)]
    for i in sorted(range(len(TOKENS)), key=lambda i: i == now.token):  # the followed one on top
        here, y = i == now.token, TOP + ROW * (i + 0.5)
        _ribbons(drawing, now.shares[i], (left + 6, y), (end, middles), here)
        drawing.words(left, y + 5, TOKENS[i], anchor="end", bold=here, colour="output" if here else "ink")
        drawing.box(2, y - ROW / 2, left + 4, ROW, fill="transparent", place=(now.places("tokens"), i))
    even = bars + block * now.k * len(TOKENS) / NUM_EXPERTS
    drawing.line((even, TOP), (even, TOP + tall), "chosen", 1.5, stroke_dasharray="5 4")
    for e, y in enumerate(middles):
        drawing.box(end, y - 13, 28, 26, rx=5, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(end + 14, y + 5, f"{e}", bold=True)
        guests = np.flatnonzero(now.shares[:, e])
        for place, i in enumerate(guests):
            look = {"fill": "output", "fill_opacity": 1} if i == now.token else {"fill": "ink", "fill_opacity": 0.55}
            drawing.box(bars + block * place, y - 9, block - 2, 18, rx=2, **look)
        told = {"size": 13, "anchor": "start", "colour": "muted", "halo": True}
        drawing.words(bars + block * len(guests) + 5, y + 5, f"{len(guests)}", **told)
        if now.groups and e % 2 == 0:
            drawing.line((end + 38, y - 12), (end + 38, middles[e + 1] + 12), "muted", 3)
    each = "; ".join(f"{token} to {_goes_to(now, i)}" for i, token in enumerate(TOKENS))
    return drawing.html(
        f"Ribbons from tokens to experts: {each}. Tokens of experts 0 to 7: {', '.join(map(str, now.load))}."
    )


def _ribbons(drawing, shares, start, ends, here):
    """From a word to its experts, side by side; the followed word has a foot as wide as 100%, which they fill or not."""
    (x, y), (end, middles) = start, ends
    if here:
        drawing.box(x, y - ribbons.WHOLE / 2, ribbons.FOOT, ribbons.WHOLE, fill="query")
    x, top = x + ribbons.FOOT, y - ribbons.WHOLE * shares.sum() / 2
    for e in np.flatnonzero(shares):
        leaves, top = top + ribbons.WHOLE * shares[e] / 2, top + ribbons.WHOLE * shares[e]
        half = (x + end) / 2
        path = f"M {x} {leaves:.1f} C {half} {leaves:.1f} {half} {middles[e]:.1f} {end} {middles[e]:.1f}"
        look = {"colour": "output", "opacity": 0.9} if here else {"opacity": 0.2}
        drawing.add("path", d=path, fill="none", **ribbons.look(shares[e], **look))


def _goes_to(now, i):
    return listed([f"{e} ({now.shares[i, e]:.2f})" for e in np.flatnonzero(now.shares[i])])


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
        return f"{said:.2f} and the bias of expert {j}, {now.bias[j]:+.2f}: {with_bias:.2f}"
    return f"the share of expert {j}: {share:.2f}" if share else "not chosen"


def _describe(now):
    total = now.shares[now.token].sum()
    return (
        f"“{TOKENS[now.token]}” goes to {_goes_to(now, now.token)}, {total:.2f} in all. "
        f"Experts 0 to 7 get {listed(list(map(str, now.load)))} of the {now.k * len(TOKENS)} visits."
    )
