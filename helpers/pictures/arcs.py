"""A sentence as running text, and arcs from one word to those that it attends to."""

import numpy as np

from helpers.pictures.svg import Drawing, text_width

SIZE, GAP, PUNCTUATION = 17, 7, set(".,;:!?")
DEEPEST = 0.34  # opacity of the shade behind the word with the largest weight: its letters stay readable


def arcs(words, weights, chosen, *, name="sentence", places=None, marks=(), names=None, gap=GAP):
    """Show what one word attends to: thick and dark where its weight is large, as a share of the row's largest.

    Parameters
    ----------
    words : list of str
    weights : (num_words,), how much of the chosen word's attention each word gets
    chosen : index of the word that asks
    name : what the picture is called in its text
    places : Places, names for the words, one index each
    marks : indices of tokens that are no words of the text, written smaller
    names : (num_words,) what the words are called in the text; None = as they are
    gap : pixels between two words

    Returns
    -------
    Html
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(words),):
        raise ValueError(f"weights must be one number for each of {len(words)} words, got {weights.shape}.")
    shares = weights / max(weights.max(), 1e-300)
    widths = [text_width(word, SIZE if k not in marks else 12) for k, word in enumerate(words)]
    starts, x = [], max(4.0, gap / 4)
    for word, width in zip(words, widths, strict=True):
        x -= gap - 1 if word in PUNCTUATION and starts else 0
        starts.append(x)
        x += width + gap
    middles = [start + width / 2 for start, width in zip(starts, widths, strict=True)]
    reach = max(abs(middle - middles[chosen]) for middle in middles)
    top = min(40 + 0.3 * reach, 190)  # where the words begin
    drawing = Drawing(max(x, 200), top + 62)
    for k in np.argsort(shares):
        if k != chosen and shares[k] >= 0.02:
            _arc(drawing, middles[chosen], middles[k], top - 6, shares[k], (top - 16) / max(reach, 1))
    for k, word in enumerate(words):
        box = {"x": starts[k] - 3, "y": top, "width": widths[k] + 6, "height": 30, "rx": 4}
        drawing.add("rect", fill="ink", fill_opacity=DEEPEST * shares[k], **box)
        drawing.words(middles[k], top + 21, word, size=12 if k in marks else SIZE,
                      colour="query" if k == chosen else "muted" if k in marks else "ink",
                      font_weight=700 if k == chosen else None)  # fmt: skip
        if shares[k] >= 0.1:
            drawing.words(middles[k], top + 49, f"{weights[k]:.0%}", size=12, colour="muted")
        drawing.add("rect", fill="transparent", place=(places, k), **box)
    return drawing.html(_told(names or words, weights, chosen, name))


def _arc(drawing, start, end, base, share, rise):
    """Half an ellipse above the words, as high as they are far apart."""
    radius = abs(end - start) / 2
    height = max(2 * radius * rise, 14)
    path = f"M {start:.1f} {base:.1f} A {radius:.1f} {height:.1f} 0 0 {int(end > start)} {end:.1f} {base:.1f}"
    drawing.add(
        "path", d=path, fill="none", stroke="ink", stroke_width=1 + 7 * share, stroke_opacity=0.12 + 0.73 * share
    )


def _told(names, weights, chosen, name):
    """The largest weights in words."""
    first = [f"{names[k]} {weights[k]:.3f}" for k in np.argsort(-weights, kind="stable") if weights[k] >= 0.02]
    return f"{name}: {names[chosen]} attends to {', '.join(first)}."
