"""What the lesson says of its pictures, of its small model and of the stored measurements."""

import ast
import inspect
import itertools
import re

import numpy as np
import pytest

from helpers import explorers, language_model, parts, serving
from rooms.shared import served
from rooms.write_for_many import exercises, in_one_row
from rooms.write_for_many import explorers as own
from tests import library
from tests.notebooks import after_cell, function_of, prose, rows_of


def test_seats_as_the_text_has_them():
    text, seats = prose("write_for_many"), explorers.explore_seats()
    wait, at_once = seats.shown["steps"]
    assert f"after {at_once} steps rather than {wait}" in text and 188 / (4 * wait) == pytest.approx(0.5, abs=0.01)
    waits = [(starts + own.LENGTHS).mean() for starts in seats.shown["starts"]]
    assert f"after {waits[0]:.0f} steps on average, or after {waits[1]:.0f}" in text
    seats.set(length=60)
    assert seats.shown["steps"].tolist() == [wait + 20, at_once]
    assert f"pays 20 steps, from {wait} to {wait + 20}" in text and f"{at_once} steps stay {at_once}" in text
    seats.set(length=40, seats=1)
    assert len(set(seats.shown["steps"])) == 1
    seats.set(chosen=11, length=60, seats=4)
    ends = (seats.shown["starts"] + seats.shown["lengths"])[1]
    alone = ends[11] - np.delete(ends, 11).max()  # nearly all the red is beside L, while it writes alone
    assert ends[11] == seats.shown["steps"][1] and 3 * alone > 0.9 * seats.shown["empty"][1]
    first = [60, *own.LENGTHS[:11]]
    assert own.seat(first, 4, True)[2] < seats.shown["steps"][1]
    same = [own.seat([7] * 12, 4, at_once)[2] for at_once in (False, True)]
    assert same[0] == same[1]
    hello = own._words(True)[1]
    assert sum(a == b for a, b in zip(hello[:8], own.BEGINNING)) == 7


def test_sixteen_texts_cost_about_an_eighth_more_and_about_120_caches_weigh_as_much_as_the_weights():
    assert (16 + 16 * 0.13) / (16 + 0.13) == pytest.approx(1.12, abs=0.005)
    of_20 = 2 * 32 * 32 * 128 * 1000 * 2 / 1e9  # GB, of lesson 20's model
    assert of_20 == pytest.approx(0.52, abs=0.005) and 0.52 / 4 == pytest.approx(0.13)
    assert 120 * 0.13 == pytest.approx(16, rel=0.03)
    assert 16 + 120 * 0.13 == pytest.approx(2 * (16 + 0.13), rel=0.03)
    first, more = 1000 * 16.13 / 3000, 1000 * 0.13 / 3000
    assert f"each further person adds {more:.2f} ms to {first:.1f}" in prose("write_for_many")
    fetch, a_row = 16 / 3000, 8e9 / 500e12  # seconds, of 8e9 weights on a card with 500e12 multiplications a second
    assert 200 < fetch / a_row < 500  # rows that take as long to multiply: a few hundred


def test_a_shared_page_answers_with_the_other_s_word():
    (own_france, own_italy), (france, italy) = served.one_page_for_two(False), served.one_page_for_two(True)
    assert next(iter(own_france)) == " Paris" and next(iter(own_italy)) == " Rome"
    assert next(iter(france)) == next(iter(italy)) == " Rome"


def test_tables_hold_what_was_measured_and_what_is_counted():
    shares = served.seconds("step") / served.seconds("step")[0]
    steps = [[str(n), f"{share:.1f}", f"{n / share:.1f}"] for n, share in zip(served.ROWS, shares)]
    assert (
        rows_of("write_for_many", "| texts | a step takes, times as long | tokens, times as many |") == steps
        and 2.8 < shares[-1] < 3
    )
    whole = served.seconds("piece")[0]
    pieces = [
        [str(piece), f"{wait / whole[0]:.0%}", f"{all_steps / whole[1]:.1f}"]
        for piece, (wait, all_steps) in zip(served.PIECES, served.seconds("piece"))
    ]
    assert (
        rows_of(
            "write_for_many",
            "| pieces of, on the core | the four wait, beside one piece | the prompt takes, times as long |",
        )
        == pieces
    )
    lengths = np.random.default_rng(0).lognormal(np.log(400), 1, 2000).astype(int).clip(10, 8192)
    reserved = {"8,192 for each": 8192 + 0 * lengths, "doubled when full": 2 ** np.ceil(np.log2(lengths))}
    reserved |= {f"pages of {size}": -(-lengths // size) * size for size in (256, 64, 16, 4)}
    empty = [[name, f"{1 - lengths.sum() / places.sum():.1%}"] for name, places in reserved.items()]
    assert rows_of("write_for_many", "| reserved | empty |") == empty and np.median(lengths) < lengths.mean()


def test_the_second_text_in_a_step_costs_most_and_sixteen_less_than_three():
    seconds = served.seconds("step")
    assert np.argmax(np.diff(seconds) / np.diff(served.ROWS)) == 0 and seconds[-1] < 3 * seconds[0]


def test_the_newcomer_in_pieces_holds_up_less_and_takes_longer():
    waits, whole = served.seconds("piece").T
    assert (np.diff(waits) < 0).all() and whole[-1] > whole[0]


def test_solution_does_in_the_class_of_the_helpers_what_it_does_alone():
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 5):
        free, known, cache = list(range(100))[::-1], {}, own.PagedCache(size)
        for _ in range(8):
            ids = rng.integers(0, 2, rng.integers(1, 10)).tolist()
            assert exercises._SOLVE(ids, free, known, size) == cache.enter(ids)
        assert known == cache.known


TEXTS = [[3, 1, 4, 1, 5], [9, 2, 6], [5, 3, 5, 8]]


def on_the_page(name):
    """A function as the lesson defines it, and what it finds around it."""
    found = function_of("write_for_many", name)
    found.__globals__.update(itertools=itertools, parts=parts)
    return found


def in_row(texts, positions, starts, devices=1):
    file, sizes = in_one_row.small_model()
    row = np.concatenate(texts)
    return in_one_row.forward(row, positions, starts, on_the_page("attention"), file, sizes, devices)


def each_alone(texts):
    file, sizes = in_one_row.small_model()
    return np.concatenate([parts.read(ids, file, sizes)[0] for ids in texts])


def test_positions_counted_through_are_seen_one_step_later():
    """Text 1 was counted 5, 6, 7; read at these positions it gives the keys that a cache would hold."""
    through = in_row(TEXTS, np.arange(12), [0, 5, 8, 12])
    assert np.abs(through - each_alone(TEXTS)).max() < 1e-12  # the step before is as right as numbers allow
    longer = [*TEXTS[1], each_alone(TEXTS)[7].argmax()]
    right = each_alone([longer])[-1]
    off = [
        np.abs(in_row([longer], np.array(counted), [0, 4])[-1] - right).max()
        for counted in ([5, 6, 7, 8], [5, 6, 7, 1])
    ]
    first = [*TEXTS[0], each_alone(TEXTS)[4].argmax()]
    off += [np.abs(in_row([first], np.array([0, 1, 2, 3, 4, 0]), [0, 6])[-1] - each_alone([first])[-1]).max()]
    told = f"off by up to {off[1]:.1f}, those of text 0 by {off[2]:.1f}"
    assert off[0] < 1e-12 and told in prose("write_for_many")


@pytest.mark.parametrize("pieces", [(), (1,), (2, 3)])
def test_a_step_from_pages_finds_what_each_text_finds_alone(pieces):
    """The page's lists and its attention, on other texts, read at once or in pieces; a page that is shared is read by one text alone."""
    file, sizes = in_one_row.small_model()
    texts, pages = [[1, 2, 3, 4, 5, 6, 7], [9, 8, 7, 6], [1, 2, 3, 4, 0], [8, 8, 5, 5]], own.PagedCache(2)
    tables, lay_out, attention = (
        [pages.enter(ids) for ids in texts],
        on_the_page("lay_out"),
        on_the_page("attention_on_pages"),
    )
    lay_out.__globals__.update(P=2)
    attention.__globals__.update(keys=np.zeros((2, 2, 12, 2, 4)), values=np.zeros((2, 2, 12, 2, 4)))
    ends = [[min(piece, len(ids)) for ids in texts] for piece in pieces] + [[*map(len, texts)]]
    done = [0, 0, 4 if not pieces else 0, 0]
    for end in ends:
        step = lay_out([ids[:n] for ids, n in zip(texts, end)], tables, done)
        logits = in_one_row.forward(step["row"], step["positions"], step, attention, file, sizes)
        new = [each_alone([ids[:n]])[m:] for ids, n, m in zip(texts, end, done)]
        np.testing.assert_allclose(logits, np.concatenate(new), atol=1e-9)
        done = end
    assert tables[2][:2] == tables[0][:2]


def table_of(pages):
    """The function of the fold on such a question, for these pages."""
    (code,) = re.findall(r"```python\n(def table_of.*?)```", prose("write_for_many"), re.S)
    exec(code, space := {"pages": pages})
    return space["table_of"]


def test_a_question_that_is_asked_again_has_a_token_to_come_on_a_page_of_its_own():
    """Each of its pages is known, so that `enter` alone would share them all and leave no row for what follows."""
    known = {"texts": TEXTS, "alone": each_alone(TEXTS), "starts": np.array([0, 5, 8, 12])}
    found = after_cell("write_for_many", "longer.append(", serving=serving, **known)
    pages, tables, again = found["pages"], found["tables"], TEXTS[0][:4]
    assert pages.known[tuple(again)] == tables[0][0]
    tables, texts = [*tables, table_of(pages)(again)], [*found["longer"], again]
    assert tables[-1] == [6]
    done = [*map(len, TEXTS), 4, 0]
    lay_out, attention = on_the_page("lay_out"), on_the_page("attention_on_pages")
    lay_out.__globals__.update(P=4)
    attention.__globals__.update(keys=np.zeros((2, 2, 7, 4, 4)), values=np.zeros((2, 2, 7, 4, 4)))
    file, sizes = in_one_row.small_model()
    for now, before in ((TEXTS, [0, 0, 0]), (texts, done)):
        step = lay_out(now, tables[: len(now)], before)
        logits = in_one_row.forward(step["row"], step["positions"], step, attention, file, sizes)
    last = logits[step["query_start_loc"][1:] - 1]
    np.testing.assert_allclose(last, [each_alone([ids])[-1] for ids in texts], atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_of_n_tokens_that_are_all_known_as_many_pages_are_shared_as_leave_one_to_come(size):
    for n in range(1, 10):
        enter = table_of(own.PagedCache(size))
        first, again = enter([*range(n)]), enter([*range(n)])
        assert len({*first} & {*again}) == (n - 1) // size and len(first) == len(again)


def test_people_who_fit_on_a_card_and_what_a_page_leaves_empty():
    text = prose("write_for_many")
    for tokens, people in ((8192, 60), (1000, 492), (1008, 488)):  # 63 pages of 16 for a thousand tokens
        assert round((80 - 16) / (0.13 * tokens / 1000)) == people
    assert "Sixty people or nearly five hundred" in text
    lengths = np.random.default_rng(0).lognormal(np.log(400), 1, 2000).astype(int).clip(10, 8192)
    assert f"each text leaves {(-lengths % 16).mean():.1f} places empty on average" in text
    assert "A text of 17 leaves 15 of 32." in text and -17 % 16 == 15


def test_forgotten_pages_show_below_the_check():
    """Where one that is not full is shared, one person's word is another's."""
    assert exercises._served(exercises._SOLVE).startswith(
        "The first finds “The capital of France” on its page, the second “The capital of Italy”. A and B of the picture are on 5 pages, and have 2"
    )

    def shares_all(ids, free, known, size):
        return [known.setdefault(tuple(ids[:end]), free.pop()) for end in range(size, len(ids) + size, size)]

    assert exercises._served(shares_all).startswith("The first finds “The capital of Italy”")


def test_without_a_free_page_the_readers_own_enter_stops():
    with pytest.raises(IndexError):
        exercises._SOLVE([1, 2, 3], [], {}, 4)


@pytest.mark.everything
def test_generate_batch_of_transformers_takes_one_row_as_well():
    """Its own model, with small sizes, is watched: what it is given in the first step, and in the second."""
    library.needed()
    given = []
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "vocab_size": 11, "bos_token_id": None, "eos_token_id": None}
    model = library.theirs("llama", "LlamaForCausalLM")(library.sizes_of("llama", "LlamaConfig", **sizes)).eval()
    names = "input_ids", "position_ids", "cu_seq_lens_q"
    model.register_forward_pre_hook(
        lambda module, _, named: given.append([named[name].flatten().tolist() for name in names]), with_kwargs=True
    )
    small = pytest.importorskip("transformers").ContinuousBatchingConfig(num_blocks=8, max_batch_tokens=32)
    model.generate_batch(TEXTS, continuous_batching_config=small, max_new_tokens=2, do_sample=False)
    row, positions, starts = given[0]
    pieces = [(row[first:end], positions[first:end]) for first, end in itertools.pairwise(starts)]
    assert sorted(pieces) == sorted((ids, [*range(len(ids))]) for ids in TEXTS)
    assert len(given[1][0]) == 3 and sorted(given[1][1]) == sorted(map(len, TEXTS))


@pytest.mark.everything
def test_positions_counted_through_are_seen_at_once_where_they_are_added():
    torch = library.needed()
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 4, "vocab_size": 11, "n_positions": 16}
    model = library.filled(
        library.theirs("gpt2", "GPT2LMHeadModel")(library.sizes_of("gpt2", "GPT2Config", **sizes)), torch
    )
    starts = np.cumsum([0, *map(len, TEXTS)])[:3]
    off = []
    for ids, start in zip(TEXTS, starts):
        counted = torch.arange(start, start + len(ids))[None]
        with torch.no_grad():
            alone, through = (model(torch.tensor([ids]), **named).logits for named in ({}, {"position_ids": counted}))
        off.append(float((alone - through).abs().max()))
    assert off[0] == 0 and min(off[1:]) > 1


@pytest.mark.parametrize("size", [1, 3, 4])
def test_what_is_written_into_slots_is_found_by_the_table(size):
    rng, cache = np.random.default_rng(size), own.PagedCache(size)
    texts = [rng.integers(0, 2, length).tolist() for length in (6, 4, 5)]
    tables, slots = [cache.enter(ids) for ids in texts], np.full((20, size), -1)
    for table, ids in zip(tables, texts):
        for t, token in enumerate(ids):
            slots.reshape(-1)[table[t // size] * size + t % size] = token
    for table, ids in zip(tables, texts):
        assert slots[table].reshape(-1)[: len(ids)].tolist() == ids


@pytest.mark.parametrize("devices", [1, 2])
def test_texts_in_one_row_are_read_as_each_alone(devices):
    rng = np.random.default_rng(1)
    texts = [rng.integers(0, 11, length).tolist() for length in (1, 6, 3, 2)]
    alone = each_alone(texts)
    starts, positions = np.cumsum([0, *map(len, texts)]), np.concatenate([np.arange(len(ids)) for ids in texts])
    np.testing.assert_allclose(in_row(texts, positions, starts, devices), alone, atol=1e-9)
    through = in_row(texts, np.arange(12), starts, devices)
    np.testing.assert_allclose(through, alone, atol=1e-9)  # turned keys see distances only
    leak = in_row(texts, positions, [0, 12], devices)
    np.testing.assert_allclose(leak[:1], alone[:1], atol=1e-9)
    assert np.median(np.abs(leak[1:] - alone[1:]).max(axis=-1)) > 1


@pytest.mark.everything
def test_one_row_is_read_so_by_the_real_model_too():
    if language_model.find() is None:
        pytest.skip("the real model is not installed: requirements-model.txt")
    from gguf import GGUFReader, dequantize

    model, opened = language_model.load(progress=None), GGUFReader(language_model.find())
    file = {t.name.removesuffix(".weight"): dequantize(t.data, t.tensor_type) for t in opened.tensors}
    sizes = {"num_layers": 30, "num_heads": 9, "num_key_value_heads": 3, "base": 100_000.0}
    texts = [model.encode(text) for text in ("The capital of France is", "Who is she?")]
    starts, positions = np.cumsum([0, *map(len, texts)]), np.concatenate([np.arange(len(ids)) for ids in texts])
    attention = on_the_page("attention")
    got = in_one_row.forward(np.concatenate(texts), positions, starts, attention, file, sizes, devices=3)
    want = np.concatenate([model.read(ids).logits for ids in texts])
    assert np.abs(got - want).max() < 1e-4 * np.abs(want).max()


def test_a_row_has_as_many_triangles_as_texts():
    picture = own.drawn_row(TEXTS)
    cells = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="21"', picture.html)
    mask = np.zeros((12, 12), bool)
    for x, y in cells:
        mask[(int(y) - 52) // 21, (int(x) - 80) // 21] = True
    want = np.zeros((12, 12), bool)
    for first, end in itertools.pairwise([0, 5, 8, 12]):
        want[first:end, first:end] = parts.causal_mask(end - first)
    assert (mask == want).all() and "3 triangles" in picture.text


def test_the_last_new_token_sees_all_keys_and_the_one_before_all_but_one():
    assert (parts.causal_mask(2, 5) == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).all()


def test_a_new_token_stands_dark_in_its_slot_beside_what_was_there():
    texts = [[3, 1, 4, 1, 5, 10], [9, 2], [3, 1, 4, 7]]  # on pages of 3; the last one shares page 0
    tables, slots = [[0, 1], [2], [0, 3]], [5, 7, 9]
    step = {"row": [10, 2, 7], "query_start_loc": [0, 1, 2, 3], "block_table": tables, "slot_mapping": np.array(slots)}
    picture = own.drawn_step(texts, step, 3)
    assert "token 2 of text 1 goes to slot 7" in picture.text
    opacity = [float(each) for each in re.findall(r'<rect [^>]*fill-opacity="([\d.]+)"', picture.html)]
    assert opacity == [0.22] * 5 + [1] + [0.22] + [1, 1]  # in the order of the slots, the empty ones left out
    shown = re.findall(r">([^<]+)</text>", picture.html)
    assert shown[3:12] == [*"0", "10", "5", *"127", *"279"]  # of each new token its text, itself and its slot
    tokens = [each for each in shown[12:] if each.isdigit()]
    assert tokens == [*"31415", "10", "9", "2", "7"] and [each for each in shown if "text" in each][1:] == [
        "texts 0 and 2", "text 0", "text 1", "text 2",
    ]  # fmt: skip


def test_the_fold_shows_the_whole_model_as_it_is():
    (shown,) = re.findall(r"```python\n(def forward.*?)```", prose("write_for_many"), re.S)
    tree = ast.parse(inspect.getsource(in_one_row.forward))
    del tree.body[0].body[0]  # what it says of itself
    assert ast.unparse(ast.parse(shown)) == ast.unparse(tree)


def test_the_table_of_habits_names_lines_that_are_there():
    code = inspect.getsource(in_one_row)
    for line in ("residual + hidden", "residual is None", "np.split(hidden @ np.concatenate([", "sum(of_device("):
        assert line in code
