"""How long it takes from a small model to a chatbot, on a line of powers of ten."""

import numpy as np

from helpers.support import inputs
from workbench import Drawing, by_width

YEAR = 60 * 24 * 365.0  # minutes


def powers_of_ten(minutes):
    """Draw how long each takes on one line, on which every step is ten times as long.

    Parameters
    ----------
    minutes : dict name -> minutes, at least 1
    """
    times = inputs.finite("minutes", list(minutes.values()))
    if not len(times) or min(times) < 1:
        raise ValueError(f"minutes must hold at least 1 for each name, got {list(minutes.values())}.")
    names, powers = list(minutes), np.log10(np.array(times, dtype=float))
    told = ", ".join(f"{name} {in_words(time)}" for name, time in zip(names, times))
    said = f"How long each takes, on a line of powers of ten: {told}."
    wide, phone = Drawing(800, 128), Drawing(340, 340)
    last = int(np.ceil(max(powers)))
    for k in range(last + 1):
        x, y = 60 + 660 * k / max(last, 1), 16 + 300 * k / max(last, 1)
        wide.line((x, 60), (x, 68), "muted", 1)
        phone.line((16, y), (24, y), "muted", 1)
    wide.line((60, 64), (720, 64), "ink", 2)
    phone.line((20, 16), (20, 316), "ink", 2)
    lowest = 0.0
    for k, (name, time, power) in enumerate(zip(names, times, powers)):
        x, y = 60 + 660 * power / max(last, 1), 16 + 300 * power / max(last, 1)
        wide.add("circle", cx=x, cy=64, r=7, fill="chosen")
        above = k % 2 == 0
        wide.words(x, 24 if above else 94, name, size=14, bold=True)
        wide.words(x, 42 if above else 112, in_words(time), size=14, colour="chosen")
        phone.add("circle", cx=20, cy=y, r=7, fill="chosen")
        lowest = max(y + 5, lowest + 20)
        phone.words(38, lowest, f"{name}: {in_words(time)}", size=13, anchor="start")
    wide.words(250, 94, "each tick: ten times as long", size=12, colour="muted")
    return by_width(wide.html(said), phone.html(said))


def in_words(minutes):
    """A time in one digit.

    Examples
    --------
    >>> in_words(1), in_words(29_929 * YEAR), in_words(60.7e6 * YEAR)
    ('a minute', '30,000 years', '60 million years')
    """
    years = minutes / YEAR
    if years < 1:
        return "a minute" if round(minutes) == 1 else f"{minutes:,.0f} minutes"
    rounded = round(years, -int(np.floor(np.log10(years))))
    return f"{rounded / 1e6:g} million years" if rounded >= 1e6 else f"{rounded:,.0f} years"
