"""Known answers of the explorers of ports and of twins; what they show is recorded: python -m tests.record explore_port."""

import importlib
import re

import numpy as np
import pytest

from helpers import explorers
from rooms.port_and_prove import ports
from rooms.port_and_prove.explorers import BUGS, TENSORS
from tests import driving, notebooks
from workbench.pictures.svg import text_width

ANSWERS = (
    "".join(notebooks.cells("port_and_prove", "markdown"))
    .split("5. The bugs by their letters:")[1]
    .split("</details>")[0]
)
LISTED = {int(number): letter for number, letter in re.findall(r"Port (\d) [^(]*\((\w)\)", ANSWERS)}


def test_nine_clicks_find_the_bugs_and_mend_the_ports():
    explorer, parted = explorers.explore_port(), {}
    for count, (number, letter) in enumerate(LISTED.items(), start=1):
        explorer.set(number=number)
        first = TENSORS[number][int(explorer.shown["first"])]
        assert first == ports.BUGS[ports.bug_of(number)].first or number == 1
        parted.setdefault(first, []).append(number)
        driving.click(explorer, "bugs", "abcdefghi".index(letter))
        assert (
            "now it is mended" if number < 9 else "nothing was wrong"
        ) in explorer.text and f"Found so far: {count} of 9" in explorer.text
        assert explorer.shown["first"] == len(explorer.shown["gaps"])
    # "Ports 1 and 4 part at the same tensor, and so do 6, 8 and 9"
    assert [together for together in parted.values() if len(together) > 1] == [[1, 4], [6, 8, 9]]


def test_the_lesson_answers_for_all_nine():
    assert sorted(LISTED) == list(range(1, 10)) and sorted(LISTED.values()) == list("abcdefghi")


def test_a_wrong_verdict_is_told_where_its_bug_would_show():
    explorer = explorers.explore_port()
    for bug, said in ((0, "in “query turned”"), (4, "in “normed”"), (6, "no place for it"), (7, "in “weights”")):
        explorer.set(verdict_3=BUGS[bug])
        assert said in explorer.text
    explorer.set(number=8, verdict_8=BUGS[1])
    assert "look which of its numbers agree" in explorer.text


def test_a_right_port_fails_the_tolerance_of_float64_and_port_1_passes_that_of_bfloat16():
    explorer = explorers.explore_port()
    explorer.set(number=1, tolerance="bfloat16")
    assert "no tensor differs" in explorer.text and explorer.shown["agree"].tolist() == [6, 6]
    assert explorer.shown["divergence"] < 1e-4
    for number in ports.KINDS:
        explorer.set(number=number, tolerance="float64", **{f"verdict_{number}": ports.bug_of(number)})
        assert explorer.shown["first"] == 0


def test_the_marks_of_two_ports_leave_each_bug_its_words():
    explorer = explorers.explore_port()
    for bug in BUGS:
        explorer.set(verdict_3=bug, verdict_6=bug)
        for html in explorer.html.split('class="only-narrow"'):
            ((start, size),) = re.findall(rf'x="([\d.]+)"[^>]*font-size="(\d+)"[^>]*>{re.escape(bug)}<', html)
            marks = [float(x) for x in re.findall(r'x="([\d.]+)"[^>]*>[36] [✓✗]<', html)]
            end = float(start) + text_width(bug, int(size))
            assert len(marks) == 2 and end < min(marks) - 14, bug


def test_ends_forgive():
    explorer = explorers.explore_port()
    assert explorer.shown["agree"].tolist() == [6, 6] and explorer.shown["gaps"][2] == pytest.approx(1.518, abs=1e-3)
    explorer.set(number=7)
    gaps, names = explorer.shown["gaps"], TENSORS[7]
    assert (
        all(gaps[names.index(name)] < 1e-6 for name in ("query_turned", "key_turned")) and explorer.shown["first"] == 3
    )


def test_each_part_stands_beside_its_twin():
    explorer = explorers.explore_twins()
    explorer.set(chosen="causal_mask")
    assert "np.arange" in explorer._picture_text and ".tril(num_keys - num_queries)" in explorer._picture_text


def test_bits_that_the_three_kinds_of_numbers_keep():
    assert [1 + np.finfo(kind).nmant for kind in (np.float64, np.float32)] == [53, 24]
    kept = [bits for bits in range(1, 24) if ports.bfloat16([1 + 2.0**-bits])[0] != 1]
    assert 1 + max(kept) == 8


@pytest.mark.everything
def test_eager_attention_hands_its_weights_to_a_hook_and_a_turn_that_is_replaced_keeps_its_result(monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    transformers = pytest.importorskip(
        "transformers", reason="PyTorch, a second opinion, and transformers are not installed"
    )
    sizes = {
        "hidden_size": 18,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "head_dim": 10,
        "intermediate_size": 23,
    }
    config = transformers.AutoConfig.for_model("llama", **sizes, vocab_size=31, num_hidden_layers=2)
    model, seen = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval(), []
    ids, turned = torch.arange(5)[None], []
    for layer in model.model.layers:
        layer.self_attn.register_forward_hook(lambda module, given, made: seen.append(made[1]))
    with torch.no_grad():
        assert model(ids).attentions is None
        asked = model(ids, output_attentions=True).attentions
    assert [tuple(each.shape) for each in seen[:2]] == [(1, 6, 5, 5)] * 2
    for one, other in zip(seen[:2], asked):
        assert torch.equal(one, other)
    file = importlib.import_module("transformers.models.llama.modeling_llama")
    plain = file.apply_rotary_pos_emb
    monkeypatch.setattr(file, "apply_rotary_pos_emb", lambda *given: turned.append(plain(*given)) or turned[-1])
    with torch.no_grad():
        model(ids)
    assert [tuple(query.shape) for query, _ in turned] == [(1, 6, 5, 10)] * 2
