"""Feedback on what a learner wrote: is it right, and if not, which mistake is it?

`check(name, answer)` prints one line. `EXERCISES` maps the name of each exercise to the function that judges an answer.
A judge calls the answer on small cases. Where it is wrong, it looks for the known mistake that gives the very same
numbers, then for the edit of the learner's own source that makes it right, then for the step at which it goes wrong.
"""

import difflib
import importlib
from collections.abc import Mapping

from helpers.checks import engine
from helpers.checks.exercise import Case, Exercise, Feedback, Verdict

__all__ = ["EXERCISES", "Case", "Feedback", "Verdict", "check", "require", "verdict"]

TOPICS = {  # module: its exercises; a module is imported when an answer is first checked by it
    "lookup": ["soft_select"],
    "attend": ["softmax", "output_rows", "two_tokens"],
    "similar": ["mix_similar"],
    "arrange": ["sinusoidal_positional_encoding", "is_order_blind"],
    "project": ["self_attention"],
    "scale": ["divisor"],
    "notation": ["attention_in_columns"],
    "heads": ["split_heads", "merge_heads"],
    "layer": ["layer_norm", "encoder_layer", "decoder_layer"],
    "leaks": ["looks_ahead"],
    "masks": ["causal_mask", "masked_softmax"],
    "cross": ["cross_attention"],
    "costs": ["count_operations", "streamed_row"],
    "real_model": ["previous_token_score", "same_word_score"],
    "learn": ["numerical_gradient", "adam_step", "training_loop"],
    "patches": ["patchify"],
    "hunt": ["is_right"],
    "notes": ["suspect", "distrusted_rows"],
    "rotary": ["rotate"],
    "cache": ["write_one_token"],
    "few": ["attend_to_best"],
    "short_rows": ["softmax_with_sink"],
    "states": ["linear_attention"],
    "writing": ["next_token"],
    "copying": ["induction_score"],
    "model_layer": ["model_layer"],
    "experts": ["route"],
}
MODULE_OF = {name: topic for topic, names in TOPICS.items() for name in names}


class _Judges(Mapping):
    """Name of an exercise -> function that judges an answer to it."""

    def __getitem__(self, name):
        exercise = _exercise(name)
        return lambda answer, show=None: engine.judge(exercise, answer, show)

    def __iter__(self):
        return iter(MODULE_OF)

    def __len__(self):
        return len(MODULE_OF)


def _exercise(name):
    if not isinstance(name, str) or name not in MODULE_OF:
        near = difflib.get_close_matches(str(name)[:60], MODULE_OF) or MODULE_OF
        raise KeyError(f"name must be that of an exercise, got {name!r:.60}; there are {', '.join(near)}.")
    topic = importlib.import_module(f"{__name__}.{MODULE_OF[name]}")
    (found,) = [each for each in vars(topic).values() if isinstance(each, Exercise) and each.name == name]
    return found


EXERCISES = _Judges()


def check(name, answer):
    """Print whether `answer` is right, not attempted yet, or wrong, and which mistake it makes.

    Never raises, whatever the answer does; only an interruption (■) goes on to stop the cells that wait.

    Parameters
    ----------
    name : str, the name of the function that the exercise asks for
    answer : the learner's function (or, where the exercise says so, numbers)
    """
    engine.print_feedback(EXERCISES, name, answer)


def verdict(name, answer):
    """What `check` says, and more: the reason, the line as it should be, and the smallest case in which the answer is wrong.

    Returns
    -------
    Verdict : (status, message, fix, case)

    Raises
    ------
    KeyError
        If there is no exercise of that name.
    """
    return engine.verdict(_exercise(name), answer)


def require(name, answer):
    """Raise unless `answer` is right: for those who grade.

    Raises
    ------
    AssertionError
        With the message of `check`.
    KeyError
        If there is no exercise of that name.
    """
    feedback = EXERCISES[name](answer)
    if feedback.status != "right":
        raise AssertionError(feedback.message)
