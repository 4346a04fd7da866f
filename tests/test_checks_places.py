"""The steps of an answer in whose place the right numbers make the rest right: they are named, and others are not."""

import numpy as np
import pytest

from helpers import checks
from helpers.checks import places, steps
from helpers.checks.cases import copied
from helpers.checks.source import source_of
from helpers.checks.watch import Watch
from tests import hands
from tests.test_checks_partly import told


@pytest.fixture(autouse=True)
def with_time(monkeypatch):
    """Several processes share the cores here; what is told must not hang on that."""
    hands.give_time(monkeypatch, lambda seconds: 4 * seconds)


def test_step_is_named_with_its_stage_though_no_edit_mends_it():
    message = told("""def soft_select(query, keys, values, temperature):
    logits = np.einsum("kd,d->k", keys, query)
    logits = (logits - logits.max()) / temperature
    p = 3.0**logits
    p = p / (1 + p.std())
    return np.einsum("k,k->", p, values)
""")
    assert message.startswith(
        "Line 5: `p / (1 + p.std())` should give the right weights; the right ones sum to 1, yours to "
    )
    assert "With the right numbers there, your answer is right." in message


def test_each_of_two_wrong_terms_is_named_with_what_it_is_to_the_right_one():
    message = told("""def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    products = 4 * N * D**2 + N**2 * D
    sums = 4 * N * (D - 1) + N**2 * (D - 1) + N * D * (N - 1)
    return products, sums
""")
    first, second = message.split(". And line 4: ")
    assert first == (
        "Line 3: `N**2 * D` should give the right multiplications of scores and mixing; "
        "compared with that, everything is half of what is right"
    )
    assert (
        second == "`4 * N * (D - 1)` should give the right additions of the projections."
    )  # there is no room for more


def test_step_is_found_in_an_inner_function_that_is_called_several_times():
    message = told("""def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        scores = keys @ query / math.sqrt(keys.shape[1])
        shares = np.exp(scores - scores.max())
        return shares / np.hypot(shares.sum(), np.e) @ values
    return ask
""")
    assert message.startswith(
        "Line 6: `shares / np.hypot(shares.sum(), np.e)` should give the right weights, one after the other; the right ones sum to 1, "
    )


def test_after_an_edit_that_brings_a_stage_the_next_step_is_named():
    message = told("""def column_softmax(s):
    e = np.exp(s - s.max(axis=0))
    return e / e.sum(axis=1)


def attention_in_columns(X, W_query, W_key, W_value):
    q, k, v = (np.einsum("dn,nm->dm", W, X) for W in (W_query, W_key, W_value))
    dots = np.einsum("di,dj->ij", k, q)
    scaled = dots / q.shape[0]
    return v @ column_softmax(scaled)
""")
    assert message.startswith(
        "Line 9: the square root of `q.shape[0]` is needed here. And line 3: `e / e.sum(axis=1)` "
    )


def test_shares_that_are_shared_out_anew_are_looked_for_where_that_is_done():
    """With the right weights in the place of the powers the rest is right, too, but powers need not be weights."""
    message = told("""def cross_attention(Y, X, W_query, W_key, W_value):
    scores = (Y @ W_query) @ (X @ W_key).T / math.sqrt(W_key.shape[1])
    powers = np.hypot(np.exp(scores), np.e)
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ (X @ W_value)
""")
    assert message.startswith(
        "Line 4: `powers / powers.sum(axis=-1, keepdims=True)` should give the right weights, but"
    )


def test_what_is_returned_is_not_named_alone():
    message = told("""def mix_similar(X):
    return attention.softmax(X @ X.T) @ X + 0.01 * X.std()
""")
    assert "should give" not in message


def test_source_that_cannot_be_followed_has_no_places(monkeypatch):
    def refuse(source):
        raise SyntaxError("no such statement")

    monkeypatch.setattr(places.steps, "Steps", refuse)
    message = told("""def mix_similar(X):
    return np.hypot(attention.softmax(X @ X.T), np.e) @ X
""")
    assert "could not be checked" not in message and "should give" not in message


def test_search_for_places_ends(monkeypatch):
    answer = """def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    return 4 * N * D**2 + N**2 * D, 4 * N * (D - 1) + N**2 * (D - 1) + N * D * (N - 1)
"""
    assert "should give" in told(answer)
    monkeypatch.setattr(places, "RUNS", 20)
    assert "should give" not in told(answer)


ANSWERS = [hand for hand in hands.read() if hand.right]


@pytest.mark.parametrize("name", sorted({hand.exercise for hand in ANSWERS}))
def test_every_stage_and_term_is_given_by_some_right_answer(name):
    """What a step must give is what right answers of other hands give on their way."""
    exercise = checks._exercise(name)
    missing = set(exercise.stages | exercise.terms)
    for hand in [hand for hand in ANSWERS if hand.exercise == name]:
        source = source_of(hands.function(hand))
        if source is None or not missing:
            continue
        tracing = steps.Steps(source)
        missing -= {
            each for each in missing if all(_gives(exercise, tracing, each, case) for case in exercise.cases[:3])
        }
    assert missing == set()


def _gives(exercise, tracing, name, case):
    def call(function):
        given = copied(case)
        result = Watch().run(function, given)
        return exercise.use(result, *given) if exercise.use else result

    try:
        with np.errstate(all="ignore"):
            tracing.run(call)
    except Exception:
        return False
    want = np.asarray((exercise.stages | exercise.terms)[name](*copied(case)))
    with np.errstate(all="ignore"):
        return any(tracing.holders(want, exercise.tolerance, "first" in name))


def test_powers_of_2_and_the_root_of_another_length_are_both_named():
    message = told("""def write_one_token(x, keys, values, W_query, W_key, W_value):
    query = x @ W_query
    cache = list(zip(keys, values)) + [(x @ W_key, x @ W_value)]
    scores = [float(query @ key) / math.sqrt(len(cache)) for key, _ in cache]
    parts = [2 ** (s - max(scores)) for s in scores]
    output = np.zeros(W_value.shape[1])
    for part, (_, value) in zip(parts, cache):
        output = output + part / sum(parts) * value
    return output
""")
    assert "Line 4: `len(cache)` does not belong here" in message
    assert "line 5: `2 ** (s - max(scores))` is a power of 2" in message


def test_step_that_is_shared_out_later_need_not_give_the_shares_and_is_not_said_to():
    message = told("""def write_one_token(x, keys, values, W_query, W_key, W_value):
    query = x @ W_query
    cache = list(zip(keys, values)) + [(x @ W_key, x @ W_value)]
    scores = [float(query @ key) / math.sqrt(len(cache)) for key, _ in cache]
    parts = [1 / (1 + max(scores) - s) for s in scores]
    output = np.zeros(W_value.shape[1])
    for part, (_, value) in zip(parts, cache):
        output = output + part / sum(parts) * value
    return output
""")
    assert message.startswith("Line 8: `part / sum(parts)` should give the right weights, one after the other")
    assert "Line 5" not in message
