"""Curves and photographs in matplotlib. Arrays in, pictures out: nothing here computes attention.

A figure belongs to no window and to no global state. Under a slider it is kept, and only what moves is drawn again.
matplotlib is imported with the first figure: half of what a kernel holds is its own.
"""

import base64
import functools
import html
import io
from pathlib import Path

import numpy as np

from helpers.matrices import Html
from helpers.pictures.colours import COLOURS
from helpers.pictures.vector import drawn, markup

STYLE = Path(__file__).with_name("course.mplstyle")
BETWEEN = "#757575"  # a grey that reads on white and on black
INK, MUTED, CHOSEN, FIRST, SECOND = (COLOURS[name].light for name in ("ink", "muted", "chosen", "first", "second"))


def in_style(draw):
    """Titles, legends and ticks read the style of the course while `draw` makes them."""

    @functools.wraps(draw)
    def styled(*args, **kwargs):
        import matplotlib

        with matplotlib.rc_context(fname=STYLE):
            return draw(*args, **kwargs)

    return styled


@in_style
def new_figure(width=7.0, height=3.0, panels="a", photo=False, **ratios):
    """Make a figure in the style of the course.

    Parameters
    ----------
    width, height : in inches, of 100 pixels each
    panels : one letter for each axes, rows apart by spaces: "ab" is two side by side, "ab ac" one tall beside two
    photo : whether it shows photographs: its ground lets the page through, and it is stored as a photograph
    ratios : for instance width_ratios=[2, 1]

    Returns
    -------
    figure, axes : `axes` is one Axes, or the list of them in the order of their letters
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width + 1e-6, height + 1e-6))  # 2.3 inches are 229.99… pixels, and not all round up
    (FigureCanvasAgg if photo else FigureCanvasSVG)(figure)
    axes = figure.subplot_mosaic(panels.replace(" ", "\n"), **ratios)
    if photo:
        figure.patch.set_alpha(0)
    found = [axes[letter] for letter in sorted(axes)]
    return figure, found[0] if len(found) == 1 else found


def picture(figure, text):
    """Turn a figure into something that a cell displays, with the text that says the same.

    Parameters
    ----------
    figure : from `new_figure`
    text : one sentence with the picture's message, read aloud where the picture cannot be seen

    Returns
    -------
    Html
    """
    if _is_photo(figure):
        figure.canvas.draw()
        return _image(figure, text)
    return drawn(figure, [markup(figure)], text)


def _is_photo(figure):
    return hasattr(figure.canvas, "buffer_rgba")  # painted in pixels


class LiveFigure:
    """A figure that is kept while a slider moves: only the moving artists are painted again, and the rest when an axis
    gets another range.

    Parameters
    ----------
    figure : from `new_figure`; the first picture lays it out
    moving : the artists that change (lines, images, arrows); frames and legends of their axes are painted along, so
        that what belongs on top stays there
    update : function(shown) that gives the artists their new data
    tell : function(shown) -> what the picture shows, one sentence; None = `draw` is told
    """

    def __init__(self, figure, moving, update, tell=None):
        self.figure, self.moving, self._update, self._tell = figure, list(moving), update, tell
        self._ground = self._ranges = None
        axes = dict.fromkeys(artist.axes for artist in self.moving)  # each once, in order
        tops = [top for ax in axes for top in (*ax.spines.values(), ax.get_legend()) if top is not None]
        self._painted = sorted([*self.moving, *tops], key=lambda artist: artist.zorder)
        for artist in self._painted:
            artist.set_animated(True)

    def draw(self, shown, text=None):
        """Show `shown` and return the frame, an Html whose picture carries `text` as its alternative."""
        self._update(shown)
        return self._frame(self._tell(shown) if text is None else text)

    def _frame(self, text):
        ranges = [(*ax.get_xlim(), *ax.get_ylim()) for ax in self.figure.axes]
        if ranges != self._ranges:
            self._paint_ground()
            self._ranges = ranges
        if not _is_photo(self.figure):
            return drawn(self.figure, [self._ground, markup(self.figure, self._painted)], text)
        self.figure.canvas.restore_region(self._ground)
        for artist in self._painted:
            self.figure.draw_artist(artist)
        return _image(self.figure, text)

    def _paint_ground(self):
        self.figure.canvas.draw()
        self.figure.set_layout_engine("none")  # laid out once: nothing may jump
        whole = self.figure.bbox
        self._ground = self.figure.canvas.copy_from_bbox(whole) if _is_photo(self.figure) else markup(self.figure)


@in_style
def curves(ax, count, *, x_title, title, labels=None, y_limits=(-1.15, 1.15)):
    """Draw empty lines, to be moved by `move_curves`.

    Parameters
    ----------
    ax : matplotlib Axes
    count : how many lines
    x_title, title : what runs across, and what is drawn
    labels : names of the lines, for a legend; None = no legend
    y_limits : fixed, so that nothing jumps

    Returns
    -------
    lines : list of artists; every second one is dashed
    """
    lines = [ax.plot([], [], linestyle=["-", "--"][k % 2], label=labels and labels[k])[0] for k in range(count)]
    ax.set(xlabel=x_title, title=title, ylim=y_limits)
    ax.locator_params(nbins=4)
    if labels:
        ax.legend(lines, labels, loc="lower right", ncols=count)  # given, as a label may begin with _
    return lines


def move_curves(lines, x, ys):
    """Give kept lines new data, and their axes the new range across.

    Parameters
    ----------
    lines : from `curves`
    x : (n,)
    ys : one (n,) for each line
    """
    for line, y in zip(lines, ys, strict=True):
        line.set_data(x, y)
    lines[0].axes.set_xlim(x[0], x[-1] if len(x) > 1 else x[0] + 1)


class Bars:
    """Lying bars, one under the other, with their numbers at their ends; one of them is chosen.

    Parameters
    ----------
    ax : matplotlib Axes
    labels : names of the bars, from the top
    x_title : what their lengths are
    largest : the longest that one can get
    """

    @in_style
    def __init__(self, ax, labels, *, x_title, largest):
        self._bars = ax.barh(range(len(labels)), [largest] * len(labels), height=0.75)
        self._numbers = [ax.text(0, k, "", va="center", fontsize=9) for k in range(len(labels))]
        ax.set(xlabel=x_title, xlim=(0, 1.12 * largest), ylim=(len(labels) - 0.5, -0.5))
        ax.set_yticks(range(len(labels)), labels)
        self.moving = [*self._bars, *self._numbers]

    def move(self, lengths, chosen):
        """Give the bars their lengths, and one of them the colour of what is chosen."""
        for k, (bar, number, length) in enumerate(zip(self._bars, self._numbers, lengths, strict=True)):
            bar.set(width=length, color=CHOSEN, alpha=1 if k == chosen else 0.35)
            number.set(x=length, text=f"\u00a0{length}")


@in_style
def marker_line(ax, label, *, dashed=False):
    """Draw an upright line across the axes, to be moved by `set_xdata([x, x])`."""
    return ax.axvline(0, color=INK, linewidth=1.6, linestyle="--" if dashed else "-", label=label)


@in_style
def beside_prediction(ax, x, measured, predicted, *, x_title, y_title, y_limits):
    """Draw measured numbers as points and predicted ones as lines, both axes in powers: a square is a line of slope 2.

    Parameters
    ----------
    ax : matplotlib Axes
    x : (n,)
    measured, predicted : dict name -> (n,)
    x_title, y_title : what runs across and up
    y_limits : fixed, so that two machines can be compared
    """
    for (name, y), style in zip(predicted.items(), ["--", ":"]):
        ax.plot(x, y, style, color=MUTED, label=name)
    for (name, y), marker, size in zip(measured.items(), "os^", (7, 10, 13)):
        filled = {} if marker == "o" else {"markerfacecolor": "none"}  # a point may lie inside
        ax.plot(x, y, marker, markersize=size, label=name, **filled)
    ax.set(xscale="log", yscale="log", xlabel=x_title, ylabel=y_title, ylim=y_limits, xlim=(x[0] / 1.3, x[-1] * 1.3))
    ax.set_xticks(x, [str(size) for size in x])
    ax.minorticks_off()
    ax.legend(loc="upper left", frameon=False)


def photograph():
    """Read a photograph that matplotlib brings along, cut to a square and halved by averaging 2 × 2 pixels.

    Returns
    -------
    image : (224, 224, 3), red, green and blue between 0 and 1
    """
    from matplotlib import cbook, image

    with cbook.get_sample_data("grace_hopper.jpg") as file:
        pixels = image.imread(file)[10:458, 24:472] / 255
    return pixels.reshape(224, 2, 224, 2, 3).mean(axis=(1, 3))


@in_style
def photo(ax, image, title=""):
    """Show an image, (height, width, 3) or with a fourth channel that says how opaque it is; returns the artist."""
    shown = ax.imshow(_bytes(image), interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, color=BETWEEN, fontweight="bold")  # a grey alone is faint on black
    ax.spines[:].set_visible(False)
    return shown


def change_photo(artist, image):
    """Give a kept image other pixels, cut to what lies between 0 and 1."""
    artist.set_data(_bytes(image))


def _bytes(image):
    """Pixels as a picture stores them, in an eighth of the memory; what lets through what lies below stays exact."""
    as_it_is = np.shape(image)[-1] == 4 or np.asarray(image).dtype == np.uint8
    return image if as_it_is else (np.clip(image, 0, 1) * 255).astype(np.uint8)


@in_style
def frame(ax, color=SECOND):
    """Draw a square outline, to be moved by `move_frame`; returns the artist."""
    from matplotlib.patches import Rectangle

    return ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=color, linewidth=2.4))


def move_frame(outline, row, column, size):
    """Put a kept outline around the `size` × `size` pixels from (row, column) on."""
    outline.set(xy=(column - 0.5, row - 0.5), width=size, height=size)


def _image(figure, text):
    """The photographs of a figure as an image in the page."""
    pixels = np.ascontiguousarray(np.asarray(figure.canvas.buffer_rgba()))
    _forget_pixels(figure)
    height, width = pixels.shape[:2]
    return Html(
        f'<img class="photo" alt="{html.escape(text, quote=True)}" width="{width}" height="{height}" decoding="sync" '
        f'style="max-width:100%;height:auto;" src="{source(pixels)}">',
        text,
    )


def _forget_pixels(figure):
    """The page has them, and they would take a megabyte for each figure: its canvas is a fresh one, and what it was
    painted by, which each of its texts keeps, has room for one pixel."""
    painted_by = figure.canvas.get_renderer()
    type(figure.canvas)(figure)
    painted_by.__init__(1, 1, painted_by.dpi)


def source(pixels):
    """The address of an image that carries the pixels, (height, width, 4)."""
    from PIL import Image, WebPImagePlugin  # noqa: F401  (else PIL reads in all of its forty kinds of files)

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "webp", quality=80, method=0)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
