"""What the text of this lesson says of broken models, of calls and of counts."""

import re

import numpy as np
import pytest

from helpers import broken, parts, your_program, yours
from helpers.checks import EXERCISES
from rooms.shared import questions
from rooms.write_with_your_own import running
from rooms.write_with_your_own.explorers import _stored, side_by_side
from tests import notebooks

FRANCE = "The capital of France is"


def test_only_without_positions_it_still_says_paris():
    written = _stored()["written"][FRANCE]
    says = [way for way, pieces in written.items() if way.startswith("without") and "Paris" in "".join(pieces)]
    assert says == ["without rotate"]
    replies = questions.data_files.json_file(questions.PATH)["a part that can go"]["replies"]
    named = {
        "the norm": "rms_norm",
        "the mask": "causal_mask",
        "the positions": "rotate",
        "the feed-forward network": "swiglu",
    }
    for answer, reply in replies.items():
        for quoted in re.findall(r"“(.*?)”", reply):
            assert quoted in "".join(written[f"without {named[answer]}"]), (answer, quoted)


def test_answers_to_the_three_questions():
    stored = _stored()
    for text, written in stored["written"].items():
        assert {piece.strip() for piece in written["without model_layer"]} == {text.split()[-1]}
        assert {*written["wrong causal_mask"]} == {"<|endoftext|>"}
    assert stored["surprise"]["wrong causal_mask"] is None
    cost = {way: each for way, each in stored["surprise"].items() if each is not None}
    assert [way for way in cost if cost[way] < cost["whole"] - 0.01] == ["without causal_mask"]
    with np.errstate(all="ignore"):
        nothing = parts.softmax(np.where(broken.turned_round(1, 3), 1.0, -np.inf))
    assert np.isnan(nothing).all() and np.argmax(nothing) == 0


def test_paris_wins_by_far_and_small_by_a_hair():
    (paris, share), (_, next_share), *_ = _stored()["rivals"][FRANCE][0]
    assert paris == " Paris" and share > 10 * next_share
    (small, share), *others = _stored()["rivals"]["Once upon a time there was a"][0]
    assert small == " small" and " young" in dict(others) and share - min(dict(others).values()) < 0.02


def test_left_alone_it_goes_on_after_the_sentence():
    assert "".join(_stored()["written"][FRANCE]["whole"]) == " Paris.\n\nThe answer is: 2018-01"
    assert "".join(your_program.sentence(_stored()["written"][FRANCE]["whole"])) == " Paris."


def test_the_story_is_told_and_softmax_of_nothing_subtracts_infinities():
    assert your_program.STORY in notebooks.prose("write_with_your_own")
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.array([-np.inf]) - np.max([-np.inf]))
    assert "scores.max(" in your_program.source("softmax")


def test_the_layer_without_a_memory_is_right_for_a_text_that_is_read_in_one_go():
    (first, _) = re.findall(r"```python\n(def model_layer.*?)```", notebooks.prose("write_with_your_own"), re.S)
    exec(first, space := {"np": np, "yours": yours})
    verdict = EXERCISES["model_layer"](space["model_layer"])
    assert verdict.status == "right" and "read in one go" in verdict.message


def test_the_two_that_stand_side_by_side_at_the_top():
    both = side_by_side("wrong merge_heads").text
    assert f"the whole model: {FRANCE} → Paris.\n" in both and f"merge_heads is wrong: {FRANCE} → wishers.\n" in both
    assert 'wishers.\n\nThe term "wisher" is a noun' in "".join(_stored()["written"][FRANCE]["wrong merge_heads"])
    assert "Broken: merge_heads." in both
    with pytest.raises(ValueError, match="way must be one of"):
        side_by_side("wrong mask")


def test_what_runs_most_often_is_one_of_the_shortest():
    found = running.steps()
    often = max(your_program.RUNS, key=lambda name: running.calls(name, found))
    lengths = sorted(len(your_program.source(name).splitlines()) for name in your_program.RUNS)
    assert len(your_program.source(often).splitlines()) <= lengths[4] and parts.LESSONS[often] < "10"


def test_counts_that_the_text_tells():
    assert len(your_program.RUNS) == 13 and len(parts.LESSONS) == 17
    assert len(broken.WAYS) == 19 and len(_stored()["written"]) == 3 and your_program.STORY.count(".") == 3


def test_the_seven_calls_take_and_give_what_the_lesson_lists():
    """Each row of the list: arrays of the shapes that it takes, the call as it is written, the shape that it gives."""
    s = {name: f"({', '.join(map(str, sizes))})" for name, sizes in {
        "rms": (5, 42), "split": (6, 5, 14), "merged": (5, 84), "mask": (3, 7), "query": (6, 3, 14),
    }.items()}  # fmt: skip
    x, heads = np.ones((5, 42)), np.ones((6, 5, 14))
    query, key = np.ones((6, 3, 14)), np.ones((2, 7, 14))
    mask = parts.causal_mask(3, 7)
    found = {
        "rms_norm(x)": parts.rms_norm(x), "split_heads(x, num_heads)": parts.split_heads(np.ones((5, 84)), 6),
        "rotate(x, positions, base)": parts.rotate(heads, np.arange(5), 100.0),
        "causal_mask(num_queries, num_keys)": mask,
        "shared_attention(query, key, value, mask)": parts.shared_attention(query, key, key, mask),
        "merge_heads(x)": parts.merge_heads(heads),
        "swiglu(x, W_gate, W_up, W_down)": parts.swiglu(x, np.ones((42, 11)), np.ones((42, 11)), np.ones((11, 42))),
    }  # fmt: skip
    shapes = [s["rms"], s["split"], s["split"], s["mask"], s["query"], s["merged"], s["rms"]]
    assert [str(np.shape(each)) for each in found.values()] == shapes
    assert mask.dtype == bool and mask[0].tolist() == [True] * 5 + [False] * 2
    listed = notebooks.prose("write_with_your_own").split("The seven, and their shapes")[1].split("</details>")[0]
    assert re.findall(r"^\| `(.*?)`", listed, re.M) == list(found)


def test_twelve_functions_of_the_readers_write():
    """write, and whatever its solution calls, down to the last."""
    solutions = {}
    for path in notebooks.lessons():
        for name, code in re.findall(r"```python\ndef (\w+)(.*?)```", notebooks.prose(path.stem[3:]), re.S):
            solutions[name] = code
    found, ahead = set(), {"write"}
    while ahead:
        found |= ahead
        ahead = {called for name in ahead for called in re.findall(r"yours\.(\w+)", solutions[name])} - found
    assert len(found) == 12, sorted(found)
