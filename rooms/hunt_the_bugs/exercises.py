"""The exercises of the hunt: a test that knows a right attention from ten wrong ones, and one for models that are served."""

import numpy as np

from helpers.attention import multi_head_attention, scaled_dot_product_attention, softmax
from rooms.hunt_the_bugs import model_specimens, specimens
from workbench import Exercise, Stop

ASKED = {}  # name of what is judged -> what the calls of the test have had up to now
HEARD = {}  # the same, of the last test that was through with it; None if it did not call


def _note(name, **now):
    """Remember which needs a call has met."""
    had = ASKED.setdefault(name, {})
    had.update({need: had.get(need, False) or bool(is_so) for need, is_so in now.items()})


def _hunt(name, right, wrong, shows, *, ask, compare, hint, **given):
    """An exercise that asks for a test, which is to say True for what is right and False for the rest.

    right, wrong : functions that are judged, those with a mistake as dict function -> mistake; each notes what it was asked
    shows : dict mistake -> (what the calls of the test must have had or "", what to say where none had it, what brings it to light)
    ask, compare, hint : what to say of a test that trusts everything, that distrusts a right one, that stops
    """

    def solve(judged):
        return judged in right

    def heard(verdict, judged):
        """The verdict as it is, with a note of what the test asked before it gave it."""
        if isinstance(verdict, (int, float, np.number)) and verdict not in (0, 1):
            raise Stop(f"{name} must say True or False, got {verdict:g}.")
        HEARD[judged.__name__] = ASKED.get(judged.__name__)
        ASKED.clear()  # with what a test left that stopped
        return verdict

    def explain(got, want, judged):
        called = judged.__name__.replace("_", " ")
        if want:
            return f"It says False for {called}. {compare}"
        need, missing, light = shows[wrong[judged]]
        had = HEARD.get(judged.__name__)
        advice = "You did not call it." if had is None else light if not need or had[need] else f"{missing}. {light}"
        return f"It says True for {called}, in which {wrong[judged]}. {advice}"

    def unearned(names):
        """Right verdicts count only of what was called."""
        if not all(HEARD[judged.__name__] for judged in [*right, *wrong]):
            return f"These verdicts are right, but {name} did not call all that it judged: ask each, and look at what it gives."
        return None

    def hint_or_assert(error, judged):
        is_assert = isinstance(error, AssertionError)
        return "Return False where something is wrong: an assert stops the whole test." if is_assert else hint(error)

    return Exercise(
        name=name,
        solve=solve,
        cases=[(judged,) for judged in [*right, *wrong]],
        mistakes={
            f"It says True for everything: {ask}": lambda judged: True,
            "It says False for everything, for right ones too.": lambda judged: False,
            "It is upside down: True must mean that nothing wrong was found.": lambda judged: not solve(judged),
        },
        explain=explain,
        hint=hint_or_assert,
        unearned=unearned,
        use=heard,
        **given,
    )


# --- ten attentions ------------------------------------------------------------------------------------------------------

_MASK = "mask", "None of your calls had a mask that blocks a key"
SHOWS = {
    "softmax runs over the queries": ("", "", "Its rows of weights do not sum to 1."),
    "the scores are not divided by √d_k": ("", "", "Its weights are not those of a right one."),
    "the largest score is not subtracted": (
        "large", "None of your calls had tokens with scores of 1000", "Tokens a thousand times as large make it give NaN.",
    ),
    "queries and keys are exchanged": (
        "other_query", "In all your calls W_query equals W_key, which hides it",
        "Its rows do sum to 1; compare its weights with right ones.",
    ),
    "keys are mixed, not values": (
        "other_value", "In all your calls W_value equals W_key, which hides it",
        "Its weights are right; its output is not, and that alone must be enough for False.",
    ),
    "weights are masked after softmax": (*_MASK, "Under a mask its rows of weights do not sum to 1."),
    "blocked scores are set to 0": (*_MASK, "Under a mask its blocked keys have weight."),
    "the mask opens one step too many": (*_MASK, "Under a causal mask the key after the diagonal has weight."),
    "heads are cut by reshape alone": ("heads", "All your calls had one head", "With num_heads=2 its output is different."),
    "a matrix is changed along the way": (
        "again", "You never gave it the same matrix twice", "One of the matrices that it is given has changed afterwards.",
    ),
}  # fmt: skip


def _by_helper(X, W_query, W_key, W_value, num_heads=1, mask=None):
    answer = multi_head_attention(X, W_query, W_key, W_value, np.eye(W_value.shape[1]), num_heads=num_heads, mask=mask)
    return answer.output, answer.weights


def _head_by_head(X, W_query, W_key, W_value, num_heads=1, mask=None):
    cut = [np.split(X @ W, num_heads, axis=1) for W in (W_query, W_key, W_value)]
    answers = [scaled_dot_product_attention(*qkv, mask=mask) for qkv in zip(*cut)]
    return np.hstack([answer.output for answer in answers]), np.stack([answer.weights for answer in answers])


def _with_divided_queries(X, W_query, W_key, W_value, num_heads=1, mask=None):
    def heads(x):
        return np.moveaxis(np.reshape(x, (len(x), num_heads, -1)), 1, 0)

    query = heads(X @ W_query) * (W_query.shape[1] / num_heads) ** -0.5
    scores = np.einsum("hqd,hkd->hqk", query, heads(X @ W_key))
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.hstack(list(weights @ heads(X @ W_value))), weights


def _attention(function, name):
    """An attention under a name, which remembers what it was asked."""
    matrices = []

    def attend(X, W_query, W_key, W_value, num_heads=1, mask=None):
        if name not in ASKED:
            matrices.clear()
        try:
            _note(
                name,
                other_query=not np.array_equal(W_query, W_key),
                other_value=not np.array_equal(W_value, W_key),
                mask=mask is not None and not np.all(mask),
                heads=num_heads > 1,
                large=np.abs(np.asarray(X) @ W_query @ (np.asarray(X) @ W_key).T).max() > 1000,
                again=any(W_query is each for each in matrices),
            )
            matrices.append(W_query)
        except (TypeError, ValueError):
            pass  # arguments that do not fit: the attention itself says so
        return function(X, W_query, W_key, W_value, num_heads, mask)

    attend.__name__ = name
    return attend


def _hint(error):
    if "read-only" in str(error):
        return "This specimen changes what it is given: hand over copies, and look whether they have changed."
    if "multi_head_attention" in str(error):
        return "The helper is called as multi_head_attention(X, W_query, W_key, W_value, np.eye(d_model), num_heads=2, mask=mask), and what it gives has .output and .weights."
    if "mask" in str(error):
        return "The mask is Boolean, (num_tokens, num_tokens), one for all heads."
    return "attend takes X, W_query, W_key, W_value, num_heads=1, mask=None and gives output, weights; num_heads must divide the width."


IS_RIGHT = _hunt(
    "is_right",
    [
        _attention(_by_helper, "a_right_attention"),
        _attention(_head_by_head, "a_right_attention_head_by_head"),
        _attention(_with_divided_queries, "a_right_attention_with_divided_queries"),
    ],
    {
        _attention(specimens.specimen(k), f"specimen_{k}"): specimens.mistake_of(k)
        for k in range(1, len(specimens.ORDER) + 1)
    },
    SHOWS,
    ask="call attend, look at what it gives, and return False where a rule breaks.",
    compare="Sums may differ in their last digits: compare by np.allclose, with what is right; X, W_query, W_key, W_value come in this order.",
    hint=_hint,
    praise="Right: your test trusts three right attentions, each written differently, and none of the ten wrong ones.",
)

# --- a model that is served ----------------------------------------------------------------------------------------------

_CACHES = "cache", "None of your calls handed caches on"
_PADDING = "padding", "None of your calls had padding, real with False in it"
SERVED = {
    "new tokens count their positions from 0": (
        *_CACHES, "Read a part, then the rest with its caches: the rest is not what it is in one go.",
    ),
    "with a cache, the mask starts top-left": (
        *_CACHES, "Read a part, then the rest with its caches: the new tokens miss keys.",
    ),
    "the mask opens one step too many": (
        *_CACHES, "Read a part, then the rest with its caches: in one go a token sees the next one.",
    ),
    "softmax counts its axis from the front": (
        "batch", "None of your calls had a batch of texts", "In a batch a text is not what it is alone.",
    ),
    "attention looks at padding": (*_PADDING, "With padding in front a text is not what it is alone."),
    "padding is written into a state": (*_PADDING, "With padding in front, other than zeros, a text is not what it is alone."),
    "a page is shared before it is full": (
        *_CACHES, "Read the same three tokens twice, go on with another token each time, and then with the first text.",
    ),
    "texts in one row, boundaries forgotten": (
        "row", "None of your calls had several texts in one row, with starts", "In one row with another, the second text is not what it is alone.",
    ),
}  # fmt: skip


def _one_by_one(X, caches=None, real=None, starts=None):
    """The right model, which reads each text of a batch or row alone, its tokens one by one, and of padding says 0."""
    if starts is not None:
        texts = np.split(np.asarray(X, float), starts[1:-1])
        return np.concatenate([_one_by_one(text)[0] for text in texts]), None
    if np.ndim(X) == 3:
        real = np.ones(X.shape[:2], bool) if real is None else np.asarray(real)
        output, kept = np.zeros(X.shape), []
        for k, (text, now) in enumerate(zip(X, real)):
            output[k][now], past = _one_by_one(text[now], caches[k] if caches else None)
            kept.append(past)
        return output, kept
    rows = []
    for row in np.asarray(X, float)[:, None]:
        output, caches = _model(model_specimens.RIGHT)(row, caches)
        rows.append(output[0])
    return np.array(rows), caches


LAYERS = [model_specimens.STATE, *model_specimens.LAYERS]


def _model(parts, first=0):
    """A model with its layers, read(X, caches=None, real=None, starts=None) -> output, caches."""
    run = model_specimens.model_of(parts)
    return lambda X, caches=None, real=None, starts=None: run(X, LAYERS, first, caches, real, starts)


def _served(function, name):
    """A model under a name, which remembers what it was asked."""

    def read(X, caches=None, real=None, starts=None):
        _note(
            name,
            cache=caches is not None,
            batch=np.ndim(X) == 3 and len(X) > 0,
            padding=real is not None and not np.all(real),
            row=starts is not None and len(starts) > 2,
        )
        return function(X, caches, real, starts)

    read.__name__ = name
    return read


SERVES_RIGHT = _hunt(
    "serves_right",
    [
        _served(_model(model_specimens.RIGHT), "a_right_model"),
        _served(_model(model_specimens.RIGHT, first=3), "a_right_model_that_counts_from_3"),
        _served(_one_by_one, "a_right_model_that_reads_token_by_token"),
    ],
    {
        _served(_model(model_specimens.MISTAKES[mistake]), f"model_{k}"): mistake
        for k, mistake in enumerate(SERVED, start=1)
    },
    SERVED,
    ask="call read in several ways, compare, and return False where they differ.",
    compare="Compare by np.allclose, and what is on padding not at all.",
    hint=lambda error: (
        "read takes X, (num_tokens, 8) or (num_texts, num_tokens, 8), caches=None, real=None of (num_texts, num_tokens), starts=None, a list such as [0, 2, 7], and gives output, caches."
    ),
    praise="Right: your test trusts three right models, and none of the eight that fail with a cache, in a batch, behind padding, in pages or in one row.",
)
