"""Many pictures that differ in little, column by column: words of one template, and frames of one length.

A frame is a list of numbers of words. Of all frames of one length, a place is written once where it never changes; where it
follows a control, once for each stop of that; where it follows another place, once for each word there; else state by state.
"""

import re

import numpy as np

# what changes from word to word: names in quotes, numbers
PIECE = re.compile(r"(“[^”]*”(?: \([^)]*\))?|\d+(?:[.,]\d+)*%?)")
FIRST = 35  # the letter of number 0
LEFT_OUT = 92  # a backslash, which would be written as two
LETTERS = 91  # how many need one byte
FEW = 0.3  # a place follows another one that has at most so many words, as a share of the states


# --- words -----------------------------------------------------------------------------------------------------------


def by_template(known):
    """Words by their templates: (list of words and templates, dict number -> the new number).

    Parameters
    ----------
    known : dict word -> number

    A template is [parts, columns]; word j of it is parts[0] + column 0 at j + parts[1] + … A column is [values, places in them].
    """
    found = {}
    for word, number in known.items():
        pieces = PIECE.split(word)
        found.setdefault(tuple(pieces[::2]), []).append((number, pieces[1::2]))
    written, numbers = [], {}
    for parts, several in found.items():
        for number, _ in several:
            numbers[number] = len(numbers)
        written.append(_template(parts, [values for _, values in several]))
    return written, numbers


def _template(parts, rows):
    whole, columns = [parts[0]], []
    for part, column in zip(parts[1:], zip(*rows)):
        if len(set(column)) == 1:
            whole[-1] += column[0] + part
        else:
            columns.append(_ranked(column))
            whole.append(part)
    return [whole, columns] if columns else whole[0]


def _ranked(column):
    """[values, places in them]; few places are letters of a text."""
    known = {}
    places = [known.setdefault(value, len(known)) for value in column]
    return [list(known), lettered(places) if len(known) <= LETTERS else places]


def lettered(places):
    return "".join(chr(FIRST + k + (FIRST + k >= LEFT_OUT)) for k in places)


def numbered(letters):
    """The numbers that `lettered` wrote; those that are no letters stay."""
    if not isinstance(letters, str):
        return letters
    return [ord(letter) - FIRST - (ord(letter) > LEFT_OUT) for letter in letters]


def words(written):
    """The words again, in their new order."""
    found = []
    for each in written:
        if isinstance(each, str):
            found.append(each)
            continue
        parts, columns = each[0], [(values, numbered(at)) for values, at in each[1]]
        for j in range(len(columns[0][1])):
            found.append(parts[0] + "".join(values[at[j]] + part for (values, at), part in zip(columns, parts[1:])))
    return found


# --- frames ----------------------------------------------------------------------------------------------------------


def folded(frames, states):
    """Frames as groups of one length.

    Parameters
    ----------
    frames : list of lists of numbers
    states : for each frame, where each control stands

    Returns
    -------
    [group of each frame, list of groups]; a group is [base, columns], a column [place, source, values, at]: the word in this place is
    values[rank], the rank that of the source: a control, or a column (by its number after the controls); or at[frame of the group]
    """
    lengths = {}
    for k, frame in enumerate(frames):
        lengths.setdefault(len(frame), []).append(k)
    which = [0] * len(frames)
    for number, members in enumerate(lengths.values()):
        for k in members:
            which[k] = number
    return [
        which,
        [_group(np.array([frames[k] for k in m]), np.array([states[k] for k in m])) for m in lengths.values()],
    ]


def _group(words, stands):
    sources = [(k, column) for k, column in enumerate(stands.T) if len(set(column.tolist())) > 1]
    written = []
    for place in np.flatnonzero((words != words[0]).any(axis=0)).tolist():
        column = words[:, place]
        source = next((each for each in sources if _follows(column, each[1])), None)
        if source:
            values = np.full(source[1].max() + 1, words[0, place])
            values[source[1]] = column
            written.append([place, source[0], values.tolist(), []])
        else:
            values, at = _ranked(column.tolist())
            written.append([place, -1, values, at])
            if len(values) <= FEW * len(words):
                sources.append((stands.shape[1] + len(written) - 1, np.array(numbered(at))))
    return [words[0].tolist(), written]


def _follows(column, source):
    """Whether equal numbers in the source stand beside equal ones in the column."""
    values = np.zeros(source.max() + 1, column.dtype)
    values[source] = column
    return bool((values[source] == column).all())


def frame(written, states, k):
    """Frame k again: a list of numbers of words."""
    which, groups = written
    base, columns = groups[which[k]]
    row, frame, ranks = which[:k].count(which[k]), list(base), list(states[k])
    for place, source, values, at in columns:
        ranks.append(numbered(at[row : row + 1])[0] if source < 0 else ranks[source])
        frame[place] = values[ranks[-1]]
    return frame
