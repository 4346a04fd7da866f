"""One explorer in one file: a page that moves without Python, or the picture that is shown now."""

import contextlib
import json
import re
from html import escape
from pathlib import Path

from helpers.support import inputs
from workbench.pictures.html import plain_drawings
from workbench.recording import record

KILOBYTES = 60  # of the recording, packed: some hundred settings, written in seconds
MOST = 3000  # kilobytes that are still written, where a few states are as large as that
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0 auto; padding: 16px; max-width: 960px; font-family: system-ui, sans-serif; background: var(--jp-layout-color0); }}
{style}</style>
<script>document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";</script>
</head>
<body>
{card}
<script type="application/json" id="recording">{data}</script>
<script>
{player}</script>
</body>
</html>
"""


def save(explorer, path):
    """What `Explorer.save` does, and says; the explorer is back where it was afterwards."""
    inputs.file_path("path", path)
    path = Path(path)
    written = {".html": page, ".svg": picture}
    if path.suffix.lower() not in written:
        raise ValueError(f"path must end in .html, a page that moves, or .svg, the picture, got {str(path)!r}.")
    if path.is_dir() or not path.parent.is_dir():
        place = "a folder" if path.is_dir() else "in a folder that does not exist"
        raise ValueError(f"path must be a file in a folder that is there, got {str(path)!r}, which is {place}.")
    text, said = written[path.suffix.lower()](explorer, path.stem)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"path must be a file that can be written, got {str(path)!r}: {error.strerror}.") from None
    return f"{path}, {len(text.encode()) / 1000:.0f} kB: {said}"


def page(explorer, title):
    """The page of an explorer, and what of it moves."""
    with silent(explorer):
        data, whole = record.within(explorer, KILOBYTES)
    size = record.compressed(data) / 1000
    if size > MOST:
        raise ValueError(
            f"An explorer must fit {MOST} kB to be saved as a page, got {size:.0f} kB for {len(data['states'])} settings: "
            "save its picture as .svg."
        )
    player = (record.HERE / "player.js").read_text(encoding="utf-8")
    text = PAGE.format(
        title=escape(title), style=record.player_css(), card=record.card(explorer, "#recording"),
        data=json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/"), player=player,
    )  # fmt: skip
    count = f"{len(data['states']):,}"
    moves = (
        f"all {count} settings are in it."
        if whole
        else f"{count} settings are in it; any other shows the nearest of them."
    )
    return text, f"it moves in a browser, without Python; {moves}"


def picture(explorer, title):
    """The drawings of the current picture below one another, as one SVG, and what that is."""
    drawings = plain_drawings(explorer.html)
    if not drawings:
        raise ValueError(
            "The picture must hold a drawing to be saved as .svg; this one is made of tables: save it as .html."
        )
    sizes = [[float(re.search(rf' {name}="([\d.]+)"', each)[1]) for name in ("width", "height")] for each in drawings]
    width, height, parts = max(wide for wide, _ in sizes), 0.0, []
    for each, (_, high) in zip(drawings, sizes):
        parts.append(each.replace("<svg ", f'<svg y="{height:g}" ', 1))
        height += high + 12
    height -= 12
    head = (
        f'xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    )
    said = " ".join(re.findall(r'aria-label="([^"]*)"', "".join(drawings)))
    whole = f'<svg {head} role="img"><title>{said}</title>{"".join(parts)}</svg>\n'
    return whole, "the picture as it is shown now."


@contextlib.contextmanager
def silent(explorer):
    """Inside, the page hears nothing of the explorer's moves; afterwards it hears where they ended."""
    with contextlib.ExitStack() as stack:
        for widget in everything_in(explorer):
            stack.enter_context(widget.hold_sync())
        yield


def everything_in(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from everything_in(child)
