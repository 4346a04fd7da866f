"""Exercises on a real model: scores that find the head with one habit."""

import numpy as np

from rooms.ask_a_real_encoder import pronouns
from rooms.shared import attention_maps, edits
from workbench import Drawn, Exercise, labelled

MAPS = attention_maps.load("one before").weights
NUM_LAYERS, NUM_HEADS = MAPS.shape[:2]


def _shares(num_tokens, seed):
    powers = np.exp(np.random.default_rng(seed).normal(size=(num_tokens, num_tokens)))
    return powers / powers.sum(axis=1, keepdims=True)


def _praise(results):
    scores = np.array([float(result) for result in results[-NUM_LAYERS * NUM_HEADS :]])
    best, second = np.argsort(-scores)[:2]
    where = [f"layer {k // NUM_HEADS}, head {k % NUM_HEADS}" for k in (best, second)]
    return f"Right. Of all 72 heads your score is highest for {where[0]}: {scores[best]:.3f}. Next comes {where[1]}, with {scores[second]:.3f}."


PREVIOUS = edits.exercise(
    """
def previous_token_score(weights):
    return np.diagonal(weights, -1).mean()
""",
    cases=[
        (np.array([[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.125, 0.5, 0.375]]),),
        (_shares(5, 1),),
        (_shares(4, 2),),
        *((head,) for layer in MAPS for head in layer),
    ],
    mistakes="""
.mean() => | Those are the weights on the token before, one for each query; their mean is asked for, a single number.
.mean() => .sum() | This is the sum; a long text would score higher than a short one. Take the mean.
.mean() => .sum() / len(weights) | The sum was divided by the number of tokens; the first one has none before it, so one fewer counts.
-1 => 1 | This looks one token ahead. Rows are queries: weights[t, t - 1] is what token t gives to the one before.
, -1 => | This is the diagonal, what each token gives to itself. The one before is weights[t, t - 1].
=> weights[1:, :-1].mean() | This is the mean of whole rows and columns; the weights on the token before are their diagonal alone: weights[t, t - 1].
=> np.mean([weights[t, t - 1] for t in range(len(weights))]) | The first token took part: weights[0, -1] is the last column, not a token before the first.
.mean() => .max() | This is the largest of those weights; one lucky token would be enough. Take the mean.
=> np.median(np.diagonal(weights, -1)) | This is the median of those weights; the mean is asked for.
=> np.tril(weights, -1).sum() / (len(weights) - 1) | This counts all tokens before, however far; only the one right before counts.
=> np.tril(weights, -1).sum(axis=1).mean() |
=> np.mean(weights[1:].argmax(axis=1) == np.arange(len(weights) - 1)) | This is the share of the tokens that look most at the one before; the mean of the weights is asked for.
.mean() => .sum() / weights.size | The other entries were set to 0 and averaged along: divide by the number of pairs, not of entries.
=> weights.mean() | This is the mean of all weights: 1 / num_tokens, whatever the head does.
=> weights[1:, 0].mean() | This is the mean of column 0, what the others give to the first token. The one before is weights[t, t - 1].
-1).mean() => )[1:].mean() | This is the diagonal, what each token gives to itself. The one before is weights[t, t - 1].
-1).mean() => -1).sum() / len(weights) - 1 | Brackets are missing: divide by (len(weights) - 1).
-1) => -1)[:-1] | The last token is left out: t runs from 1 to the end, range(1, len(weights)).
""",
    praise=_praise,
)

# --- right minus wrong, over many sentences --------------------------------------------------------------------------

SENTENCES = pronouns.load("32 sentences")
PLACES = [(text.meant, text.other) for text in SENTENCES]


def _rows(head):
    return [text.weights[head] for text in SENTENCES]


RIGHT_MINUS_WRONG = edits.exercise(
    """
def right_minus_wrong(weights, pairs):
    differences = []
    for row, (right, wrong) in zip(weights, pairs):
        differences.append(row[right] - row[wrong])
    return np.mean(differences)
""",
    cases=[
        ([np.array([0.5, 0.25, 0.25]), np.array([0.125, 0.5, 0.25, 0.125])], [(0, 1), (3, 1)]),
        ([np.array([0.2, 0.1, 0.1, 0.6]), np.array([0.3, 0.2, 0.1, 0.3, 0.1])], [(1, 3), (3, 2)]),
        *((_rows(head), PLACES) for head in np.ndindex(NUM_LAYERS, NUM_HEADS)),
    ],
    mistakes="""
row[right] - row[wrong] => row[wrong] - row[right] | This is wrong minus right: a head that finds the right one should score above 0.
row[right] - row[wrong] => row[right] > row[wrong] | This is how often the right one gets more; asked is by how much, on average.
row[right] - row[wrong] => row[right] | This is what the right one gets alone. A head that gives both of them the same must score 0, so take off what the wrong one gets.
row[right] - row[wrong] => row[wrong] | This is what the wrong one gets; right minus wrong is asked for.
row[right] - row[wrong] => abs(row[right] - row[wrong]) | Without its sign a difference is as good where the head is wrong.
row[right] - row[wrong] => row[right] + row[wrong] | This is what both get together; their difference is asked for.
row[right] - row[wrong] => row[right] / row[wrong] | This is a quotient, which is huge where both get next to nothing; take the difference.
=> sum(row[right] for row, (right, wrong) in zip(weights, pairs)) / sum(row[wrong] for row, (right, wrong) in zip(weights, pairs)) |
row[right] - row[wrong] => row.argmax() == right | This is how often the right one gets most of all; asked is how much more than the wrong one, on average.
row[right] - row[wrong] => row.max() == row[right] |
np.mean(differences) => sum(differences) | This is the sum; more sentences would score higher. Take the mean.
np.mean(differences) => differences | Those are the differences, one for each sentence; their mean is asked for, a single number.
np.mean(differences) => np.median(differences) | This is the median; the mean is asked for.
np.mean(differences) => max(differences) | This is the best sentence alone; take the mean of all.
zip(weights, pairs) => zip(weights, [pairs[0]] * len(weights)) | The first pair of places was used for every sentence; each has its own.
""",
    praise=_praise,
)

# --- a score that the reader invents ---------------------------------------------------------------------------------

REPEATED = attention_maps.load("repeated")


def _same(words):
    """Where the same word stands elsewhere."""
    words = np.array(words)
    return (words[:, None] == words) & ~np.eye(len(words), dtype=bool)


def _habits(words):
    """dict of made-up heads in words -> weights: the first is the one that is looked for."""
    n, same = len(words), _same(words)
    shared = same / np.maximum(same.sum(axis=1, keepdims=True), 1)  # among the same words elsewhere, alike
    repeated = np.flatnonzero(same.any(axis=1))
    back = np.eye(n, k=-1) + np.outer(np.eye(n)[0], np.eye(n)[0])
    first = np.outer(np.ones(n), np.eye(n)[0])
    return {
        "every word looks at the same word elsewhere": np.where(same.any(axis=1)[:, None], shared, first),
        "only the first repeated word looks at the same word elsewhere": np.where(
            np.arange(n)[:, None] == repeated[0], shared, first
        ),
        "every word looks at itself": np.eye(n),
        "only the last repeated word looks at the same word elsewhere": np.where(
            np.arange(n)[:, None] == repeated[-1], shared, first
        ),
        "every word looks at the one before": back,
        "every word looks at the one after": back[::-1, ::-1].copy(),
        "every word looks at the first": first,
        "every word looks at all alike": np.full((n, n), 1 / n),
        "every word looks at the place where the word after it stands again": np.roll(same, 1, axis=0) * 1.0,
    }


_TEXTS = ["[CLS] old man and old dog [SEP]".split(), "[CLS] a rose is a rose and a thorn is none [SEP]".split()]
_MADE_UP = [(habit, head, words) for words in _TEXTS for habit, head in _habits(words).items()]


def _compare(results):
    """Which made-up head gets too high a score, or None."""
    if any(result.shape != () for result in results):
        return f"same_word_score must be one number, got shape {results[0].shape}."
    if len(results) < len(_MADE_UP):
        return None  # it stopped before all of them had one
    scores = [float(result) for result in results]
    count = len(_MADE_UP) // len(_TEXTS)
    for k, (habit, _, words) in enumerate(_MADE_UP):
        found, others = scores[k - k % count], scores[k - k % count + 1 : k - k % count + count]
        if np.isnan([found, *others]).all():
            return f"In “{' '.join(words[1:-1])}” it gives nan, which comes of 0/0, such as a mean of none: ask first whether there are any."
        if np.isnan(scores[k]):
            return f"To a head in which {habit} it gives nan: every head must get a number."
        if found == 0 and max(others) >= 0:
            return "It gives 0 to a head in which every word looks at the same word elsewhere, which must come first: the weights of these pairs are what counts."
        if k % count and not found > scores[k] + 1e-9:
            too_much = " What a word gives to itself counts too much." if found > 0 and habit.endswith("itself") else ""
            return f"A head in which every word looks at the same word elsewhere gets {found:.3g}, and one in which {habit} gets {scores[k]:.3g}: the first must be higher.{too_much}"
    return None


def _praise_same(results):
    scores = np.array([float(result) for result in results[len(_MADE_UP) :]])
    best, second = np.argsort(-scores)[:2]
    where = [f"layer {k // NUM_HEADS}, head {k % NUM_HEADS}" for k in (best, second)]
    return f"Your score tells that habit from eight others. Of the 72 real heads it is highest for {where[0]}, then {where[1]}."


SAME_WORD = Exercise(
    name="same_word_score",
    solve=lambda weights, words: weights[_same(words)].mean(),
    cases=[(head, words) for _, head, words in _MADE_UP]
    + [(head, REPEATED.tokens) for layer in REPEATED.weights for head in layer],
    mistakes={},
    accepts=_compare,
    praise=_praise_same,
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

RIGHT_MINUS_WRONG_DRAWN = Drawn(
    "right_minus_wrong",
    lambda score: [
        [float(score(_rows((layer, head)), PLACES)) for head in range(NUM_HEADS)] for layer in range(NUM_LAYERS)
    ],
    labelled([f"layer {k}" for k in range(NUM_LAYERS)], [str(k) for k in range(NUM_HEADS)], "scores"),
    "All 72 heads on 32 sentences",
)
