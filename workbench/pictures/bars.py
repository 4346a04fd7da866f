"""Shares of words as horizontal bars, sizes as bars that stand."""

from workbench.pictures.svg import Drawing, text_width

ROW, FONT, LONGEST = 24, 14, 14  # pixels of a row and of its letters; letters of a word that are shown
VISIBLE = {"\n": "⏎", "\t": "⇥", " ": "␣", "": "∅"}


def visible(word):
    """A piece of text as one reads it: without the space in front of a word, and with signs for what cannot be seen."""
    if word.strip():
        return word[word.startswith(" ") :].replace("\n", "⏎").replace("\t", "⇥")
    return "".join(VISIBLE.get(each, "␣") for each in word) or VISIBLE[""]


def bars(words, shares, text, *, before=None, told=None, width=340, title="", chosen=None):
    """Show shares of 1 as bars, one below the other.

    Parameters
    ----------
    words : list of str
    shares : (num_words,), from 0 to 1
    text : what it shows, one sentence
    before : (num_words,) shares that are shown by a thin line, or None
    told : what is written behind each bar; None = its share
    width : pixels of the page
    title : written above
    chosen : index of the bar that is, or None

    Returns
    -------
    Html
    """
    words = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in words]
    bold = 1 if chosen is None else 1.15  # letters of the chosen word are wider
    left, top = max([40, *(bold * text_width(word, FONT) for word in words)]) + 12, 26 if title else 2
    room = width - left - 56
    drawing = Drawing(width, top + ROW * len(words) + 4)
    if title:
        drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    told = [f"{share:.1%}" for share in shares] if told is None else told
    for k, (word, share) in enumerate(zip(words, shares)):
        y, end = top + ROW * k, share
        drawing.words(left - 8, y + 17, word, size=FONT, anchor="end", bold=k == chosen)
        bar = {"x": left, "y": y + 4, "width": max(room * share, 1), "height": ROW - 8, "rx": 2}
        drawing.add("rect", fill="chosen" if k == chosen else "ink", fill_opacity=0.75, **bar)
        if before is not None:
            x, end = left + room * before[k], max(share, before[k])
            drawing.line((x, y + 2), (x, y + ROW - 2), "chosen", 2)
        drawing.words(left + room * end + 6, y + 17, told[k], size=12, colour="muted", anchor="start")
    return drawing.html(text)


def bars_up(words, values, text, *, before=None, width=800, height=96, title=""):
    """Show sizes from 0 on as bars that stand side by side, each above its word where the words fit.

    Parameters
    ----------
    words : list of str
    values : (num_words,), at least 0
    text : what it shows, one sentence
    before : (num_words,) values that are shown by a thin line, or None
    width, height : pixels of the page; of the tallest bar
    title : written above
    """
    step = min(56, (width - 4) / len(words))
    top, largest = 26 if title else 6, max(*values, *(values if before is None else before), 1e-9)
    turned = step < 40
    drawing = Drawing(width, top + height + (74 if turned else 24))
    if title:
        drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    for k, (word, value) in enumerate(zip(words, values)):
        left, middle, floor = 2 + step * k, 2 + step * (k + 0.5), top + height
        size = height * value / largest
        drawing.box(left + 1, floor - size, step - 3, max(size, 1), rx=1, fill="ink", fill_opacity=0.6)
        if before is not None:
            y = floor - height * before[k] / largest
            drawing.line((left, y), (left + step - 1, y), "chosen", 2)
        word = word if len(word) <= 7 else word[:6] + "…"
        how = {"anchor": "end", "transform": f"rotate(-90 {middle + 4:.1f} {floor + 6:.1f})"} if turned else {}
        if step >= 11:
            drawing.words(middle + 4 * turned, floor + (6 if turned else 16), word, size=11, colour="muted", **how)
    return drawing.html(text)
