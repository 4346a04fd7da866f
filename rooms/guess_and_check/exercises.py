"""An exercise on checking guesses: what is kept of them."""

import numpy as np

from rooms.guess_and_check import passes
from rooms.shared import edits
from workbench import Drawn, Stop, matrices

MOST = 12  # tokens that any answer gives

_SOLVE = edits.solution(
    """
def keep(draft, logits):
    says = np.argmax(logits, axis=-1)
    right = 0
    while right < len(draft) and draft[right] == says[right]:
        right += 1
    return [*draft[:right], int(says[right])]
"""
)


def _case(draft, says, seed, vocabulary=9):
    """Logits whose largest ones are what the model says."""
    logits = np.random.default_rng(seed).normal(size=(len(says), vocabulary)).round(1)
    logits[np.arange(len(says)), says] = np.abs(logits).max() + 1
    return list(draft), logits - seed  # below 0, too: only the largest counts


def _kept(result, draft, logits):
    """The tokens in a row of one length, behind −1 and how many there are; Stop says what is none."""
    tokens = np.asarray(result)
    if tokens.ndim == 1 and tokens.size and tokens[0] == -1:  # such a row already: no token is below 0
        return tokens
    if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iuf"):
        raise Stop(f"keep must return one list of tokens, which are whole numbers, got {result!r:.60}.")
    return np.array([-1, len(tokens), *tokens, *[-1] * (MOST - len(tokens))])


def _explain(got, want, draft, logits):
    says = logits.argmax(axis=-1).tolist()
    mine, right = ([int(k) for k in row[2 : 2 + int(row[1])]] for row in (got, want))
    told = f"Guessed {draft}, and the rows say {says}:"
    return f"{told} {right} is what is written, and yours is {mine}."


def _hint(error, draft, logits):
    if isinstance(error, IndexError):
        return f"There are {len(draft)} guesses and {len(logits)} rows: row i is what the model says after i guesses."
    if "truth value" in str(error):
        return "Compare one guess with one token: draft[i] == says[i]."
    return None


KEEP = edits.exercise(
    _SOLVE,
    use=_kept,
    shown=lambda tokens: {"tokens": np.array(tokens)},
    mistakes="""
draft[right] == says[right] => draft[right] == says[right + 1] | Guess i is compared with row i + 1, which is what follows it. Hardly a guess is kept, and a text may become another one: row i is what the model says after i guesses.
=> (lambda n: [*draft[:n], int(says[min(n + 1, len(draft))])])(next((k for k, guess in enumerate(draft) if guess != says[k + 1]), len(draft))) |
draft[right] == says[right] => draft[right] == says[right - 1] | Guess i is compared with row i − 1: row 0 is what the model says before the first guess.
while right < len(draft) and draft[right] == says[right]:⏎        right += 1 => right = sum(guess == said for guess, said in zip(draft, says)) | All hits are counted. What comes after a wrong guess was said behind a wrong token: keep the beginning alone.
=> [int(said) for said in says[: sum(guess == said for guess, said in zip(draft, says)) + 1]] |
=> [*(guess for guess, said in zip(draft, says) if guess == said), int(says[right])] | Right guesses that come after a wrong one are kept, too: stop at the first that is wrong.
=> [*(guess for guess, said in zip(draft, says) if guess == said), int(says[-1])] |
int(says[right]) => int(says[-1]) | The own token is taken from the last row, behind guesses that were wrong: take the row of the first wrong guess, says[right].
int(says[right]) => int(says[0]) | The own token is taken from row 0: take the row after the right guesses, says[right].
int(says[right]) => int(says[min(right + 1, len(draft))]) | The own token comes from the row after the rejected guess: says[right] is what the model says in its place.
=> [int(said) for said in says] | All answers are kept, but those behind a wrong guess belong to a text that is not there.
=> [int(said) for said in says[:right]] or [int(says[0])] | The own token is missing where a guess was right: each pass gives one token more than it keeps guesses.
=> list(draft[:right]) | The model's own token is missing: where no guess is right nothing would be written, for ever.
=> list(draft[:right]) if right < len(draft) else [*draft, int(says[right])] |
=> [*draft[:right], int(says[right])] if right < len(draft) else list(draft) | Where all guesses are right, the last row is free: its token is kept, too.
=> [*draft[: right + 1], int(says[right])] | The first wrong guess is kept: the model's own token takes its place.
=> [*draft[: right + 1]] if right < len(draft) else [*draft, int(says[right])] |
=> [*draft, int(says[right])] | All guesses are kept, whatever the model says.
=> [*draft, int(says[-1])] |
=> [*draft, int(says[-1])] if right == len(draft) else [int(says[0])] | All or nothing: the guesses before the first wrong one were right, and stay.
=> [*draft[:1], int(says[1])] if right else [int(says[0])] | At most one guess is kept: go on as long as they are right.
=> [int(says[0])] | No guess is ever kept: the text is right, and each pass gives one token, as without guesses.
=> [*draft[:right], right] | The last one is how many are right; it must be the model's own token, says[right].
np.argmax => np.argmin | The least likely tokens were taken: np.argmax.
[*draft[:right], int(says[right])] => [int(says[right]), *draft[:right]] | The own token comes last, after the guesses that it follows.
""",
    cases=[
        _case([3, 1, 4], [3, 1, 5, 2], 0),
        _case([3, 1, 4], [2, 1, 4, 6], 1),
        _case([3, 1, 4], [3, 1, 4, 7], 2),
        _case([], [5], 3),
        _case([3, 1, 4, 1, 5], [3, 2, 4, 1, 5, 0], 4),
        _case([2, 7], [2, 1, 7], 5),
        _case([6, 6, 6, 0], [6, 6, 0, 0, 8], 6),
        _case([8], [0, 8], 0),
        _case([4, 3, 3, 2, 1, 0, 5], [4, 3, 3, 2, 1, 0, 6, 5], 8),
        _case([1, 2, 3], [2, 3, 4, 5], 9),
    ],
    praise="Right: the beginning that is right, and the model's own token. Whatever is guessed, the text is the same.",
    explain=_explain,
    hint=_hint,
)._replace(use=_kept)  # of an array, too

KEEP_DRAWN = Drawn(
    "keep",
    lambda keep: ". ".join(passes.write(text, 7, getattr(keep, "returned", keep)) for text in passes.SHOWN) + ".",
    lambda made, caption, wrong: matrices.sentence(f"{made} ({caption})"),
    "Three texts of the language model, 7 tokens guessed at once",
)
