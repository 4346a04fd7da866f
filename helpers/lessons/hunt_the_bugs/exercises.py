"""The exercises of the hunt: a test that knows a right attention from ten wrong ones, and one for models that are served."""

import numpy as np

from helpers.attention import multi_head_attention, scaled_dot_product_attention, softmax
from helpers.checks.exercise import Exercise, Symptom
from helpers.lessons.hunt_the_bugs import model_specimens, specimens

SHOWS = {  # mistake -> what brings it to light
    "softmax runs over the queries": "Its rows of weights do not sum to 1.",
    "the scores are not divided by √d_k": "Its weights are not those of a right one.",
    "the largest score is not subtracted": "Tokens a thousand times as large make it give NaN.",
    "queries and keys are exchanged": "Its rows do sum to 1; compare its weights with right ones.",
    "keys are mixed, not values": "Its weights are right; its output is not, and that alone must be enough for False.",
    "weights are masked after softmax": "Under a mask its rows of weights do not sum to 1.",
    "blocked scores are set to 0": "Under a mask its blocked keys have weight.",
    "the mask opens one step too many": "Under a causal mask the key after the diagonal has weight.",
    "heads are cut by reshape alone": "With num_heads=2 its output is different.",
    "a matrix is changed along the way": "One of the matrices that it is given has changed afterwards.",
}
NEEDS = {  # mistake -> (what the calls of the test must have had, what to say where none had it)
    "the largest score is not subtracted": ("large", "None of your calls had tokens with scores of 1000"),
    "queries and keys are exchanged": ("W_query differs", "In all your calls W_query equals W_key, which hides it"),
    "keys are mixed, not values": ("W_value differs", "In all your calls W_value equals W_key, which hides it"),
    "weights are masked after softmax": ("mask", "None of your calls had a mask that blocks a key"),
    "blocked scores are set to 0": ("mask", "None of your calls had a mask that blocks a key"),
    "the mask opens one step too many": ("mask", "None of your calls had a mask that blocks a key"),
    "heads are cut by reshape alone": ("heads", "All your calls had one head"),
    "a matrix is changed along the way": ("again", "You never gave it the same matrix twice"),
}
CALLS = {}  # attend.__name__ -> what its calls have had up to now
HEARD = {}  # the same, of the last test that was through with it; None if it did not call


def _record(name, X, W_query, W_key, W_value, num_heads, mask):
    had = CALLS.setdefault(name, {"matrices": []})
    scores = np.asarray(X) @ W_query @ (np.asarray(X) @ W_key).T
    now = {
        "W_query differs": not np.array_equal(W_query, W_key),
        "W_value differs": not np.array_equal(W_value, W_key),
        "mask": mask is not None and not np.all(mask),
        "heads": num_heads > 1,
        "large": np.abs(scores).max() > 1000,
        "again": any(W_query is each for each in had["matrices"]),
    }
    had["matrices"].append(W_query)
    had.update({need: had.get(need, False) or bool(is_so) for need, is_so in now.items()})


def _heard(verdict, attend):
    """The verdict as it is, with a note of what the test asked before it gave it."""
    HEARD[attend.__name__] = CALLS.get(attend.__name__)
    CALLS.clear()  # with what a test left that stopped
    return verdict


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


def _named(function, name):
    """An attention under a name, which remembers what it was asked."""

    def attend(X, W_query, W_key, W_value, num_heads=1, mask=None):
        try:
            _record(name, X, W_query, W_key, W_value, num_heads, mask)
        except (TypeError, ValueError):
            pass  # arguments that do not fit: the attention itself says so
        return function(X, W_query, W_key, W_value, num_heads, mask)

    attend.__name__ = name
    return attend


RIGHT_ONES = [
    _named(_by_helper, "a_right_attention"),
    _named(_head_by_head, "a_right_attention_head_by_head"),
    _named(_with_divided_queries, "a_right_attention_with_divided_queries"),
]
SPECIMENS = [_named(specimens.specimen(k), f"specimen_{k}") for k in range(1, len(specimens.ORDER) + 1)]


def _is_right(attend):
    return attend in RIGHT_ONES


def _explain(got, want, attend):
    if got not in (0, 1):
        return f"is_right must say True or False, got {got:g}."
    if want:
        return f"It says False for {attend.__name__.replace('_', ' ')}. Sums may differ in their last digits: compare by np.allclose, with what is right; X, W_query, W_key, W_value come in this order."
    number = SPECIMENS.index(attend) + 1
    mistake = specimens.mistake_of(number)
    return f"It says True for specimen {number}, in which {mistake}. {_advice(mistake, attend.__name__)}"


def _advice(mistake, name):
    """What would show the mistake, said of the calls that the test made."""
    had = HEARD.get(name)
    if had is None:
        return "You did not call it."
    need, missing = NEEDS.get(mistake, (None, ""))
    return SHOWS[mistake] if need is None or had[need] else f"{missing}. {SHOWS[mistake]}"


def _unearned(names):
    """Right verdicts count only of what was called."""
    if not all(HEARD[attend.__name__] for attend in [*RIGHT_ONES, *SPECIMENS]):
        return "These verdicts are right, but is_right did not call every attend that it judged: ask it, and look at what it gives."
    return None


def _hint(error, attend):
    if isinstance(error, AssertionError):
        return "Return False where something is wrong: an assert stops the whole test."
    if "read-only" in str(error):
        return "This specimen changes what it is given: hand over copies, and look whether they have changed."
    if "multi_head_attention" in str(error):
        return "The helper is called as multi_head_attention(X, W_query, W_key, W_value, np.eye(d_model), num_heads=2, mask=mask), and what it gives has .output and .weights."
    if "mask" in str(error):
        return "The mask is Boolean, (num_tokens, num_tokens), one for all heads."
    return "attend takes X, W_query, W_key, W_value, num_heads=1, mask=None and gives output, weights; num_heads must divide the width."


IS_RIGHT = Exercise(
    name="is_right",
    solve=_is_right,
    cases=[(attend,) for attend in [*RIGHT_ONES, *SPECIMENS]],
    mistakes={
"It says True for everything: call attend, look at what it gives, and return False where a rule breaks.": lambda attend: True,
Symptom("It says False for everything, for right ones too."): lambda attend: False,
"It is upside down: True must mean that nothing wrong was found.": lambda attend: not _is_right(attend),
},
    praise="Right: your test trusts three right attentions, each written differently, and none of the ten wrong ones.",
    explain=_explain,
    hint=_hint,
    editable=False,
    unearned=_unearned,
    use=_heard,
)  # fmt: skip

# --- a model that is served ----------------------------------------------------------------------------------------------

SERVED = {  # mistake -> (what the calls of the test must have had, what to say where none had it, what brings it to light)
    "new tokens count their positions from 0": (
        "cache", "None of your calls handed caches on", "Read a part, then the rest with its caches: the rest is not what it is in one go.",
    ),
    "with a cache, the mask starts top-left": (
        "cache", "None of your calls handed caches on", "Read a part, then the rest with its caches: the new tokens miss keys.",
    ),
    "the mask opens one step too many": (
        "cache", "None of your calls handed caches on", "Read a part, then the rest with its caches: in one go a token sees the next one.",
    ),
    "softmax counts its axis from the front": (
        "batch", "None of your calls had a batch of texts", "In a batch a text is not what it is alone.",
    ),
    "padding takes part": (
        "padding", "None of your calls had padding, real with False in it", "With padding in front a text is not what it is alone.",
    ),
}  # fmt: skip
ASKED = {}  # name of a model -> what its calls have had up to now
TOLD = {}  # the same, of the last test that was through with it


def _one_by_one(X, caches=None, real=None):
    """The right model, which reads each text of a batch alone, its tokens one by one, and of padding says 0."""
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


def _model(parts, first=0):
    """A model with its layers, read(X, caches=None, real=None) -> output, caches."""
    run = model_specimens.model_of(parts)
    return lambda X, caches=None, real=None: run(X, model_specimens.LAYERS, first, caches, real)


def _served(function, name):
    """A model under a name, which remembers what it was asked."""

    def read(X, caches=None, real=None):
        had = ASKED.setdefault(name, {})
        now = {"cache": caches is not None, "batch": np.ndim(X) == 3 and len(X) > 0}
        now["padding"] = real is not None and not np.all(real)
        had.update({need: had.get(need, False) or bool(is_so) for need, is_so in now.items()})
        return function(X, caches, real)

    read.__name__ = name
    return read


RIGHT_MODELS = [
    _served(_model(model_specimens.RIGHT), "a_right_model"),
    _served(_model(model_specimens.RIGHT, first=3), "a_right_model_that_counts_from_3"),
    _served(_one_by_one, "a_right_model_that_reads_token_by_token"),
]
WRONG_MODELS = [
    _served(_model(model_specimens.MISTAKES[mistake]), f"model_{k}") for k, mistake in enumerate(SERVED, start=1)
]


def _serves_right(read):
    return read in RIGHT_MODELS


def _asked(verdict, read):
    """The verdict as it is, with a note of what the test asked before it gave it."""
    TOLD[read.__name__] = ASKED.get(read.__name__)
    ASKED.clear()
    return verdict


def _explain_served(got, want, read):
    if got not in (0, 1):
        return f"serves_right must say True or False, got {got:g}."
    if want:
        return f"It says False for {read.__name__.replace('_', ' ')}. Compare by np.allclose, and what stands on padding not at all."
    number = WRONG_MODELS.index(read)
    mistake, (need, missing, shows) = list(SERVED.items())[number]
    had = TOLD.get(read.__name__)
    advice = "You did not call it." if had is None else shows if had[need] else f"{missing}. {shows}"
    return f"It says True for model {number + 1}, in which {mistake}. {advice}"


def _unearned_served(names):
    """Right verdicts count only of what was called."""
    if not all(TOLD[read.__name__] for read in [*RIGHT_MODELS, *WRONG_MODELS]):
        return "These verdicts are right, but serves_right did not call every model that it judged: ask it, and look at what it gives."
    return None


def _hint_served(error, read):
    if isinstance(error, AssertionError):
        return "Return False where something is wrong: an assert stops the whole test."
    return "read takes X, (num_tokens, 8) or (num_texts, num_tokens, 8), caches=None, real=None of (num_texts, num_tokens), and gives output, caches."


SERVES_RIGHT = Exercise(
    name="serves_right",
    solve=_serves_right,
    cases=[(read,) for read in [*RIGHT_MODELS, *WRONG_MODELS]],
    mistakes={
"It says True for everything: call read in several ways, compare, and return False where they differ.": lambda read: True,
Symptom("It says False for everything, for right ones too."): lambda read: False,
"It is upside down: True must mean that nothing wrong was found.": lambda read: not _serves_right(read),
},
    praise="Right: your test trusts three right models, and none of the five that fail behind a cache, in a batch or behind padding.",
    explain=_explain_served,
    hint=_hint_served,
    editable=False,
    unearned=_unearned_served,
    use=_asked,
)  # fmt: skip
