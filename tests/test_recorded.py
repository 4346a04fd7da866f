"""How a recording is kept small: words by their templates, frames by their columns, maps as letters; and which states it has."""

import numpy as np
import pytest

from helpers import explorers
from workbench.pictures.maps import numbers_map
from workbench.recording import columns, maps, record
from workbench.recording.frames import Recording
from workbench.recording.states import Reach


def test_words_of_one_template_say_once_what_is_the_same():
    known = {"head 1: 0.25 at “she” (place 2)": 0, "<b>": 1, "head 2: 0.25 at “cat”": 2, "head 3: 0.5 at “cat”": 3}
    written, numbers = columns.by_template(known)
    again = columns.words(written)
    assert {word: again[numbers[k]] for word, k in known.items()} == {word: word for word in known}
    assert "<b>" in written and len(written) == 2 and written[0][0] == ["head ", ": ", " at ", ""]


def test_a_place_that_follows_a_control_is_written_once_for_each_stop():
    states = [[a, b] for a in range(3) for b in range(5)]
    frames = [[7, 10 + a, 20 + b, 20 + b, 40 + a * b] for a, b in states]
    frames[4] = [1, 2, 3]  # of another length
    written = columns.folded(frames, states)
    assert [columns.frame(written, states, k) for k in range(15)] == frames
    base, found = written[1][0]
    assert base == frames[0] and [(place, source) for place, source, *_ in found] == [(1, 0), (2, 1), (3, 1), (4, -1)]
    assert found[0][2] == [10, 11, 12] and found[0][3] == []


def test_many_values_are_numbers_and_few_are_letters_that_json_does_not_escape():
    assert columns.numbered(columns.lettered(range(91))) == list(range(91))
    assert not set('"\\') & set(columns.lettered(range(91)))


def test_a_map_is_taken_out_and_put_back_to_the_byte():
    rng, kept = np.random.default_rng(3), maps.Maps()
    shares = rng.random((5, 7))
    pictures = [
        numbers_map(shares, "one").html,
        numbers_map(shares - 0.5, "two", kind="scores").html,
        numbers_map(shares.repeat(3, 0).repeat(3, 1), "three times as large").html,
    ]
    taken = [kept.taken_out(picture) for picture in pictures]
    written = kept.written()
    assert [maps.put_back(each, written) for each in taken] == pictures and "base64" not in "".join(taken)
    assert [times for _, times, *_ in written[0]] == [1, 1, 3] and len(written[1]) == 4, (
        "what is enlarged is kept small; two kinds in two themes"
    )


def test_a_map_that_is_sorted_anew_or_hardly_differs_is_written_by_the_first_one():
    rng, kept = np.random.default_rng(3), maps.Maps()
    shares = rng.random((20, 50))
    squares = shares.reshape(2, 10, 5, 10).swapaxes(1, 2).reshape(10, 10, 10)[rng.permutation(10)]
    sorted_anew = squares.reshape(2, 5, 10, 10).swapaxes(1, 2).reshape(20, 50)
    changed, other = shares.copy(), rng.random((20, 50))
    changed[3] = 0.5
    pictures = [numbers_map(each, "map").html for each in (shares, sorted_anew, changed, other)]
    taken = [kept.taken_out(picture) for picture in pictures]
    written = kept.written()
    assert [maps.put_back(each, written) for each in taken] == pictures
    assert [len(each) for each in written[0]] == [3, 5, 4, 3] and len(written[0][1][2]) == 10


def with_heavy_pictures():
    """Four texts, any of which is a new picture of many numbers; a button for one that no control leads to, and one that is refused."""

    def compute(text, row):
        if text == "none":
            raise ValueError("Nothing to read.")
        numbers = np.random.default_rng([*text.encode(), row]).random((40, 40))
        return {"weights": numbers / numbers.sum(axis=1, keepdims=True)}

    made = explorers.explorer(
        compute, lambda now: numbers_map(now.weights, "weights", cell=2), lambda now: f"Row {now.row}.",
        presets={each: {"text": each} for each in ("one", "two", "three", "none")},
        text=explorers.text_field("text", "one"), row=explorers.slider("row", 0, 0, 39, 1),
    )  # fmt: skip
    made.worth_seeing = [{"row": None}]
    return made


def test_every_button_leads_somewhere_however_few_kilobytes_there_are():
    explorer = with_heavy_pictures()
    asked = (explorer.controls["text"].value, 37)
    data = record.recording(explorer, kilobytes=8, asked=[asked])
    recording, states = Recording(data), data["states"]
    assert recording.dead_buttons() == [] and len(states) < 12 and data["buttons"].keys() == explorer._states.keys()
    assert asked in [recording.positions(k) for k in range(len(states))]
    refused = [recording.html(k) for k in range(len(states)) if recording.positions(k)[0] == "none"]
    assert len(refused) == 1 and "Nothing to read." in refused[0] and "Row 0." in refused[0]


@pytest.mark.everything
def test_every_head_of_a_wall_opens_and_every_word_can_be_clicked():
    explorer = explorers.explore_real_heads()
    data = record.recording(explorer, 110)
    recording, reach = Recording(data), Reach(explorer)
    layer, head, asks, text = (reach.index[name] for name in ("layer", "head", "asks", "text"))
    states = [recording.positions(k) for k in range(len(data["states"]))]
    first = [state for state in states if state[text] == states[0][text]]
    assert {(state[layer], state[head]) for state in first} == {(i, j) for i in range(6) for j in range(12)}
    assert {state[asks] for state in first} == set(range(22))
    *_, rests = data["drags"][0][0]
    across, cells = data["tables"][rests]
    assert (across, len(cells)) == (12, 72) and len(set(cells)) == 72, "one place for each head"


def test_a_recording_that_gets_no_kilobytes_has_few_states_and_one_that_is_too_heavy_is_made_smaller():
    explorer = explorers.explore_three_tokens()
    fewest, _ = record.within(explorer, -5)
    few, _ = record.within(explorer, 9)
    assert len(fewest["states"]) == record.FEWEST + 1 < len(few["states"]) < record.TRIED
    assert record.compressed(few) < 1.15 * 9_000
