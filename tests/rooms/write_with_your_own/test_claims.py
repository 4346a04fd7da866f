"""What the text of this lesson says of broken models, of calls and of counts."""

import re

import numpy as np
import pytest

from helpers import broken, language_model, parts, your_program, yours
from helpers.checks import EXERCISES
from helpers.models import gguf_file
from rooms.read_a_model import config_json
from rooms.shared import questions
from rooms.write_with_your_own import running
from rooms.write_with_your_own.explorers import _stored, side_by_side
from tests import library, notebooks

FRANCE = "The capital of France is"
SARAH = "Sarah was walking in the park with her cat, Alex. The woman's name is"
REAL = pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")


def test_only_without_positions_it_still_says_paris():
    written = _stored()["written"][FRANCE]
    says = [way for way, pieces in written.items() if way.startswith("without") and "Paris" in "".join(pieces)]
    assert says == ["without rotate"]
    replies = questions.data_files.json_file(questions.PATH)["a part that can go"]["replies"]
    for answer, reply in replies.items():
        way = f"without {answer.partition('(')[2].rstrip(')')}"
        here, _, after_sarah = reply.partition("after the beginning about Sarah")
        for beginning, said in ((FRANCE, here), (SARAH, after_sarah)):
            for quoted in re.findall(r"“(.*?)”", said):
                assert quoted in "".join(_stored()["written"][beginning][way]), (answer, quoted)
    assert "".join(_stored()["written"][SARAH]["without rotate"]).startswith(" a 2010.")


def test_answers_to_the_three_questions():
    stored = _stored()
    for text, written in stored["written"].items():
        assert {piece.strip() for piece in written["without model_layer"]} == {text.split()[-1]}
        assert written["wrong causal_mask"] == ["<|endoftext|>"] * 16
    assert stored["surprise"]["wrong causal_mask"] is None
    cost = {way: each for way, each in stored["surprise"].items() if each is not None}
    assert [way for way in cost if cost[way] <= cost["whole"]] == ["whole", "without causal_mask", "wrong next_token"]
    assert cost["wrong next_token"] == cost["whole"], "its slip comes after the guess"
    with np.errstate(all="ignore"):
        nothing = parts.softmax(np.where(broken.turned_round(1, 3), 1.0, -np.inf))
    assert np.isnan(nothing).all() and np.argmax(nothing) == 0


def test_a_slip_in_the_reshape_leaves_the_grammar_after_one_beginning_of_three():
    written = {text: "".join(each["wrong merge_heads"]) for text, each in _stored()["written"].items()}
    assert 'The term "wisher" is a noun' in written.pop(FRANCE)
    assert [*written.values()] == ["-100000000000000"] * 2


def test_without_softmax_and_without_attention_come_much_the_same_dashes():
    for written in _stored()["written"].values():
        for way in ("without softmax", "without shared_attention"):
            assert {*"".join(written[way])} <= {*"_-,"} and written[way][-1].startswith("-")


def test_sarah_has_a_rival_who_is_not_in_the_story():
    (name, share), (rival, less), *_ = _stored()["rivals"][SARAH][0]
    assert (name, f"{share:.0%}", rival, f"{less:.0%}") == (" Sarah", "23%", " Emily", "17%")
    assert "Emily" not in SARAH


def test_the_gate_dips_below_zero_and_passes_ten_for_ten():
    x = np.linspace(-10, 10, 2001)[:, None]
    one = np.ones((1, 1))
    silu = parts.swiglu(x, one, one, one) / np.where(x == 0, 1, x)
    assert f"{silu.min():.2f}" == "-0.28" and (np.abs(silu - np.maximum(x, 0)) < 0.28).all()
    assert f"{silu[-1, 0]:.2f}" == "10.00" and f"{silu[0, 0]:.2f}" == "-0.00"


@pytest.mark.everything
def test_the_gate_is_silu_in_most_kinds_of_open_models():
    transformers = pytest.importorskip("transformers", reason=library.NEEDS)
    said = [transformers.AutoConfig.for_model(kind).to_dict() for kind in config_json.FILLED]
    silu = [each.get("hidden_act") == "silu" and "hidden_activation" not in each for each in said]
    assert len(silu) > 10 and len(silu) / 2 < sum(silu) < len(silu)


def test_what_starts_as_zeros_converts_the_weights_and_yours_converts_what_comes_out():
    weights = np.ones((2, 2), np.float32)
    assert (np.zeros(2) @ weights).dtype == np.float64
    assert yours._in(weights.dtype, np.zeros(2)).dtype == np.float32


@pytest.mark.everything
@REAL
def test_what_the_file_holds_besides_matrices():
    contents = gguf_file.open_file(language_model.find()).fields
    assert {"tokenizer.chat_template", "tokenizer.ggml.merges", "tokenizer.ggml.tokens", "llama.block_count"} <= {
        *contents
    }


@pytest.mark.everything
def test_llamas_of_transformers_have_the_other_names_and_the_rows_of_queries_and_keys_in_another_order():
    """The course's `read` gives their logits, once each matrix has our name and the rows of a head are neighbours again."""
    torch = library.needed()
    sizes = {"hidden_size": 16, "intermediate_size": 12, "vocab_size": 9, "num_hidden_layers": 2, "rms_norm_eps": 1e-5}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    model = library.theirs("llama", "LlamaForCausalLM")(
        library.sizes_of("llama", "LlamaConfig", **sizes, **heads)
    ).eval()
    with torch.no_grad():
        for each in model.parameters():
            each.normal_()
    state = {name.removesuffix(".weight"): each.numpy() for name, each in model.state_dict().items()}
    table = notebooks.prose("write_with_your_own").split("under other names")[1].split("</details>")[0]
    cells = [
        [re.findall("`(.*?)`", cell) for cell in row.split("|")[1:3]] for row in re.findall(r"^\| `.*", table, re.M)
    ]
    theirs = dict(pair for ours, others in cells for pair in zip(ours, others, strict=True))
    layer, file = theirs.pop("blk.0"), {}
    for name, other in theirs.items():
        if other in state:
            file[name] = state.pop(other)
        else:
            for k in range(2):
                file[f"blk.{k}.{name}"] = state.pop(f"{layer.replace('0', str(k))}.{other}")
    assert not state, "each has a name of ours"
    order = [0, 2, 4, 6, 1, 3, 5, 7]  # the neighbours of each head, as they lie there
    for name in file:
        if name.endswith(("attn_q", "attn_k")):
            file[name] = file[name].reshape(-1, 8, 16)[:, np.argsort(order)].reshape(-1, 16)
    ids = [3, 1, 4, 1, 5]
    found, _ = parts.read(ids, file, {"num_layers": 2, "num_heads": 2, "num_key_value_heads": 1, "base": 10_000})
    with torch.no_grad():
        np.testing.assert_allclose(found, model(torch.tensor([ids])).logits[0].numpy(), atol=1e-3)


@pytest.mark.everything
@REAL
def test_without_layers_a_word_suits_itself_best_where_the_page_says_so():
    opened = your_program.kept_open()
    table, gain = opened.file["token_embd"], opened.file["output_norm"]
    some = np.random.default_rng(0).choice(len(table), 1000, replace=False)
    ends = [opened.tokenizer.encode(word)[0] for word in (" is", " a")]
    best = [np.argmax((parts.rms_norm(table[rows]) * gain) @ table.T, axis=1) == rows for rows in (ends, some)]
    assert "output" not in opened.file and best[0].all() and best[1].mean() < 0.5


@pytest.mark.everything
@REAL
def test_how_much_a_look_at_the_next_word_alone_explains(monkeypatch):
    monkeypatch.setenv("MY_MODEL", "")

    def one_ahead(num_queries, num_keys=None):
        return ahead(num_queries, num_keys) <= 1

    def all_but_one_ahead(num_queries, num_keys=None):
        return ahead(num_queries, num_keys) != 1

    def ahead(num_queries, num_keys):
        num_keys = num_keys or num_queries
        return np.arange(num_keys) - np.arange(num_keys - num_queries, num_keys)[:, None]

    costs = []
    for mask in (one_ahead, all_but_one_ahead):
        monkeypatch.setitem(broken.WAYS, "mask", {"causal_mask": mask})
        costs.append(your_program.written_broken(your_program.kept_open(), "mask", [], yours.of_the_course())[1])
    assert [f"{cost:.1f}" for cost in costs] == ["2.9", "4.1"]


@pytest.mark.everything
@REAL
def test_only_what_was_read_without_a_mask_spoils_what_is_written():
    def open_while(one_token):
        def mask(num_queries, num_keys=None):
            return (broken.no_mask if (num_queries == 1) == one_token else parts.causal_mask)(num_queries, num_keys)

        return "".join(
            your_program.written_by(your_program.kept_open(), FRANCE, {"causal_mask": mask}, yours.of_the_course())
        )

    written = {way: "".join(_stored()["written"][FRANCE][way]) for way in ("whole", "without causal_mask")}
    assert open_while(True) == written["whole"] and open_while(False) == written["without causal_mask"]


@pytest.mark.everything
@REAL
def test_without_norms_the_vectors_grow_from_layer_to_layer_until_they_are_no_numbers():
    opened, model, largest = your_program.kept_open(), yours.of_the_course(), []
    layer = model.space["model_layer"]

    def listening(x, *more):
        largest.append(np.abs(x).max())
        return layer(x, *more)

    replaced = {"rms_norm": broken.no_norm, "model_layer": listening}
    with yours.replaced(replaced, model), np.errstate(all="ignore"):
        model.space["read"](opened.tokenizer.encode(FRANCE), opened.file, opened.sizes)
    still = np.flatnonzero(np.isnan(largest))[0]
    assert (np.diff(largest[:still]) > 0).all() and np.isnan(largest[still:]).all()


@pytest.mark.everything
@REAL
def test_the_whole_model_never_reads_a_word_of_the_story_letter_by_letter():
    encode = your_program.kept_open().tokenizer.encode
    assert all(len(encode(f" {word}")) == 1 for word in re.findall(r"\w+", your_program.STORY))


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
    assert {*parts.LESSONS} - {*your_program.RUNS} == {
        "self_attention", "encoder_layer", "numerical_gradient", "training_loop",
    }  # fmt: skip
    assert len({*broken.OUT} | {*broken.WRONG}) == 11 and len({*broken.OUT} & {*broken.WRONG}) == 7
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
