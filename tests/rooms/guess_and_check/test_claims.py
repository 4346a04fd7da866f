"""What the lesson says of guesses, of the stored texts and of the times."""

import importlib
import inspect
import re

import numpy as np
import pytest

from helpers import checks, explorers, language_model, parts
from helpers.parts import softmax
from rooms.guess_and_check import exercises, passes
from rooms.shared import served
from rooms.write_for_many import in_one_row
from tests import library
from tests.notebooks import cells, prose, rows_of

SOLVE = exercises._SOLVE


def test_guesses_change_no_word():
    explorer = explorers.explore_guesses()
    for k in (0, 1, 3, 7, 15):
        explorer.set(k=k)
        assert "✓ every text is the stored one" in explorer._picture_text


def test_a_good_pass_writes_eight_tokens_and_a_bad_one_writes_one():
    kept = [len(each.kept) for name in passes.SHOWN for each in passes.passes(name, 7)]
    assert (max(kept), min(kept)) == (8, 1)


def test_grey_takes_the_place_of_the_first_wrong_guess_and_is_alone_where_nothing_was_guessed():
    for each in (each for name in passes.SHOWN for each in passes.passes(name, 7)):
        thrown, own = each.draft[each.right :], each.kept[each.right :]
        assert len(own) == 1 or each.begin + len(each.kept) == 80
        assert bool(thrown or each.right) == bool(each.draft) and (not thrown or thrown[0] != own[0])


def test_the_lead_is_true_of_the_first_picture():
    first, code = explorers.explore_guesses(), passes.passes("code", 7)
    thrown = [len(each.draft) - each.right for each in passes.passes("a copied text", 7)]
    assert "Pass 6 guesses “ once more:⏎John gave a”, and writes “ is”" in first.text
    assert thrown[6] == sum(thrown) == 7  # all seven, and nothing else of this text
    text, looked = served.load("code"), code[7]
    assert "In pass 7 of *code*, for instance, the guess was *return self.x*" in prose("guess_and_check")
    assert (len(looked.draft), looked.right, served.spoken(looked.kept)) == (7, 0, [" def"])
    assert "".join(served.spoken(looked.draft)).strip().startswith("return self.x") and looked.source < text.begin


def test_guesses_of_the_code_come_from_the_prompt_and_soon_from_what_was_written():
    begin, found = served.load("code").begin, [each for each in passes.passes("code", 7) if each.draft]
    own = [each.source >= begin for each in found]
    assert not own[0] and all(own[4:]) and sum(own) > 0.8 * len(own)


def space(*names):
    """What the cells of the page define that have one of these names."""
    found = {"np": np, "served": served, "passes": passes}
    for source in cells("guess_and_check", "code"):
        if any(f"def {name}(" in source for name in names):
            exec(source, found)
    return found


def test_a_card_by_its_bytes_a_core_as_measured(capsys):
    core, card = map(space("core").get, ("core", "card"))
    assert round(core(8) / core(1), 1) == 2.1 and round(core(2) / core(1), 1) == 1.6
    assert "second token of a pass costs 0.6 of a pass" in prose("guess_and_check")
    assert card(16) == card(1) and card(5, 120) == card(1, 120) < card(6, 120)  # four guesses are free
    four = [passes.speed_up(name, 4, each) for name in served.names() for each in (card, lambda n: card(n, 120))]
    assert four[::2] == pytest.approx(four[1::2])
    for name in served.names():
        for k in (7, 15):
            assert passes.speed_up(name, k, card) == pytest.approx(80 / len(passes.passes(name, k)))
    seven, fifteen = (
        {name: passes.speed_up(name, k, lambda tokens: card(tokens, 120)) for name in served.names()} for k in (7, 15)
    )
    assert [name for name in seven if seven[name] > passes.speed_up(name, 4, card) + 1e-9] == ["a copied text"]
    assert fifteen["an answer"] < 1 < passes.speed_up("an answer", 7, card)
    assert all(fifteen[name] < seven[name] < passes.speed_up(name, 7, card) for name in seven)


def test_all_of_the_copied_text_but_one_line_is_in_its_prompt():
    text = served.load("a copied text")
    prompt, new = (served.spoken(part) for part in (text.ids[: text.begin], text.ids[text.begin :]))
    before, middle, after = "".join(new).partition("\n\nThe original text is:\n")
    assert middle and before in "".join(prompt) and after in "".join(prompt)
    assert "All but *The original text is:* is in its prompt" in prose("guess_and_check")


def test_keys_of_the_cat(capsys):
    written, draft = "the cat sat on a mat . the".split(), ["cat", "sat", "on"]
    before, read = len(written) - 1, 1 + len(draft)
    kept = passes.right_beginning(draft, says=["cat", "sat", "by", "a"])
    wrong = len(draft) - (len(kept) - 1)
    assert (before, before + read, before + read - wrong) == (7, 11, 10) and 10 == len([*written, *kept]) - 1
    (source,) = (each for each in cells("guess_and_check", "code") if "caches = parts.read" in each)
    found = {"np": np, "parts": parts, "in_one_row": in_one_row, "written": written, "draft": draft}
    exec(source, found)
    assert len(found["ids"]) == 11 and found["shorter"][0][0].shape[1] == 10
    cut, left = re.findall(r"off by ([\d.]+)", capsys.readouterr().out)
    assert float(cut) == 0 and float(left) > 0.1  # to the third decimal


def test_a_row_of_the_cat_and_of_another_text():
    texts, cached = [["who", "is", "she"], "the cat sat on a mat . the cat sat on".split()], [2, 7]
    new = [ids[before:] for ids, before in zip(texts, cached)]
    rows = [np.concatenate(new), np.concatenate([np.arange(n, len(ids)) for ids, n in zip(texts, cached)])]
    rows += [np.cumsum([0, *map(len, new)]), [*map(len, texts)]]
    told = [row[1] for row in rows_of("guess_and_check", "nobody guesses, *who is she*.\n\n")]
    assert told == [" ".join(map(str, row)) for row in rows]


@pytest.mark.everything
def test_transformers_looks_up_two_tokens_in_the_first_place_and_draws_from_p():
    torch = library.needed()
    theirs = importlib.import_module("transformers.generation.candidate_generator").PromptLookupCandidateGenerator
    ids = [1, 2, 3, 1, 2, 4, 1, 2]
    read, chances = theirs(num_output_tokens=1, max_length=99).get_candidates(torch.tensor([ids]))
    assert read[0].tolist() == [*ids, 3] and served.look_up(ids, 1) == [4] and chances is None
    assert theirs().max_matching_ngram_size == 2
    generation = importlib.import_module("transformers.generation.utils")
    source = inspect.getsource(generation.GenerationMixin._assisted_decoding)
    assert "if do_sample and candidate_logits is not None:" in source and "torch.multinomial(probs" in source
    assert "_speculative_sampling(" in source and ".crop(-number_of_tokens_to_crop)" in source
    assert "assistant_model" in inspect.signature(generation.GenerationMixin.generate).parameters
    assert hasattr(generation.GenerationConfig(), "prompt_lookup_num_tokens")


def test_the_answer_s_guesses_are_kept_in_its_second_question():
    text, found = served.load("an answer"), passes.passes("an answer", 7)
    begin = next(k for k in range(80) if "".join(served.spoken(text.ids[text.begin :][: k + 1])).endswith("Question"))
    later = sum(each.right for each in found if each.begin > begin)
    assert (sum(each.right for each in found), later) == (13, 11)


def test_by_hand():
    assert served.look_up("the cat sat on a mat . the".split(), 3) == ["cat", "sat", "on"]
    assert passes.right_beginning(["cat", "sat", "on"], ["cat", "sat", "by", "a"]) == ["cat", "sat", "by"]


def test_guessing_costs_time_in_an_answer_and_saves_most_in_a_copied_text():
    core = space("core")["core"]
    faster = {name: passes.speed_up(name, 7, core) for name in served.names()}
    assert faster["an answer"] < 1 and max(faster, key=faster.get) == "a copied text"
    assert faster["a story"] > faster["code"]


def test_wrong_guesses_in_the_cache_break_every_text_the_copied_one_last():
    left = {name: served.load(name).left_in for name in served.names()}
    assert max(left.values()) < 80 and max(left, key=left.get) == "a copied text"
    for (
        name,
        broken,
    ) in left.items():  # where nothing is guessed in the first pass, the first guess that is left in was made before
        begin, kept, draft = 0, [0], []
        while len(kept) > len(draft):
            begin += len(kept)
            draft, says = passes.guessed(served.load(name), begin, 7)
            kept = passes.right_beginning(draft, says)
        assert begin + len(kept) <= broken


def test_first_layers_rarely_say_the_right_token():
    early = np.array([served.load(name).early for name in served.names()])
    assert (early[:, 0] < 0.3).all() and (early[:, 1] < 0.9).all() and (early[:, 1] > early[:, 0]).all()


def test_drawn_texts_gain_little():
    gained = np.array([served.load(name).drawn for name in served.names()])
    assert gained.max() < 2 and np.sum(gained < 1.25) > gained.size / 2  # tokens a pass
    longer = np.interp(6, served.ROWS, served.seconds("pass") / served.seconds("pass")[0])
    assert longer > 1.9 and (gained < longer).all()  # five guesses and the model's own token


def test_tables_hold_what_was_measured():
    early = [[name, *(f"{share:.0%}" for share in served.load(name).early)] for name in served.names()]
    assert rows_of("guess_and_check", "| text | after 20 layers | after 28 |") == early
    drawn = [[name, *(f"{tokens:.2f}" for tokens in served.load(name).drawn)] for name in served.names()]
    assert rows_of("guess_and_check", "| text | first | second |") == drawn


def test_the_story_loops():
    text = served.load("a story")
    assert "".join(served.spoken(text.ids[text.begin :])).count("He had been gone for three days.") > 3


def test_a_wrong_answer_is_seen_in_the_texts_below_the_check():

    def written(keep):
        return [passes.write(name, 7, keep) for name in passes.SHOWN]

    assert all("tokens in" in line for line in written(SOLVE))
    useless = written(lambda draft, logits: [int(logits[0].argmax())])
    assert all("80 tokens in 80 passes, 1.0 a pass" in line for line in useless)

    def hits(draft, logits):
        says = logits.argmax(axis=-1)
        right = sum(guess == said for guess, said in zip(draft, says))
        return [*draft[:right], int(says[right])]

    copied, *others = (int(re.search(r"token (\d+) is another one", line)[1]) for line in written(hits))
    assert copied > max(others)
    assert all("stands still" in line for line in written(lambda draft, logits: []))
    assert checks.verdict("keep", hits).status == "wrong"


def test_guesses_compared_with_the_next_row_look_useless_and_change_the_table():

    def next_row(draft, logits):
        says = logits.argmax(axis=-1)
        right = next((k for k, guess in enumerate(draft) if guess != says[k + 1]), len(draft))
        return [*draft[:right], int(says[right])]

    for k in (3, 7, 15):
        written = {name: passes.write(name, k, next_row) for name in served.names()}
        assert written.pop("a table").startswith("a table: token 36 is another one")
        assert len(written) == 4
        assert all(re.search("80 tokens in (79|80) passes, 1.0 a pass", line) for line in written.values())


def test_the_texts_are_loops_but_for_the_answer_which_is_slowest():
    new = {name: served.load(name).ids[served.load(name).begin :] for name in served.names()}
    different = {name: len({*ids}) for name, ids in new.items()}
    ends = {name: " ".join("".join(served.spoken(ids)).split())[-67:].partition(" ")[2] for name, ids in new.items()}
    rows = [[name, str(different[name]), f"… {ends[name]}"] for name in new]
    assert rows_of("guess_and_check", "| text | different tokens, of 80 | it ends |") == rows
    assert different["a story"] < different["code"] < 20 and different["an answer"] > 40
    core = space("core")["core"]
    for k in (3, 7, 15):
        faster = {name: passes.speed_up(name, k, core) for name in served.names()}
        assert min(faster, key=faster.get) == "an answer"


def test_no_pass_guesses_beyond_the_end_and_only_the_last_may_end_with_a_guess():
    for name in served.names():
        *others, last = passes.passes(name, 7)
        assert all(len(each.kept) == each.right + 1 for each in others)
        assert last.begin + len(last.draft) <= 80


def test_two_words_and_four_with_a_pencil():
    for p, q in (([1 / 2, 1 / 2], [3 / 4, 1 / 4]), ([0.5, 0.3, 0.15, 0.05], [0.1, 0.6, 0.2, 0.1])):
        p, q = np.array(p), np.array(q)
        kept, missing = np.minimum(p, q), np.maximum(p - q, 0)  # guessed and kept; where q is too low
        assert 1 - kept.sum() == pytest.approx(missing.sum())
        np.testing.assert_allclose(kept + (1 - kept.sum()) * missing / missing.sum(), p)
    np.testing.assert_allclose([kept, missing], [[0.1, 0.3, 0.15, 0.05], [0.4, 0, 0, 0]])
    want = [f"{number:.2f}".lstrip("0").rstrip("0") or "0" for number in (*q, *(q - kept), *missing)]
    rows = ["$q$, what is guessed", r"$q - \min(p, q)$, thrown away", "$(p - q)^+$, missing"]
    table = {row[0]: row[1:5] for row in rows_of("guess_and_check", "| | | | | | together |")}
    assert [number.rstrip(".") for row in rows for number in table[row]] == [
        number.rstrip(".") or "0" for number in want
    ]
    assert f"0.6⁴ = {np.sum(kept.sum() ** np.arange(5)):.1f} tokens a pass" in prose("guess_and_check")


def test_a_small_model_that_guesses_is_paid_for():
    tokens, passes_long = np.sum(0.6 ** np.arange(5)), 1 + 4 * 0.1
    told = f"as long as {passes_long:.1f} passes and brings {tokens:.1f} tokens, so that the text is written {tokens / passes_long:.2f}"
    assert f"{told} times as fast" in prose("guess_and_check")


@pytest.mark.parametrize("draft", [[0, 1, 2], [3, 3, 3]])
def test_drawing_and_checking_looks_like_drawing(draft):
    rng = np.random.default_rng(0)
    chances = softmax(rng.normal(size=(4, 4)))
    chances[1:] = chances[0]  # each token is drawn from the same, whatever comes before it
    drawn = [served.draw_and_check(draft, chances, rng) for _ in range(20_000)]
    first = np.bincount([tokens[0] for tokens in drawn], minlength=4) / len(drawn)
    np.testing.assert_allclose(first, chances[0], atol=0.012)


@pytest.mark.everything
def test_stored_answers_are_those_of_the_real_model():
    if language_model.find() is None:
        pytest.skip("the real model is not installed: requirements-model.txt")
    model = language_model.load(progress=None)
    for name in ("code", "an answer"):
        text = served.load(name)
        for begin in (0, 11):
            draft, says = passes.guessed(text, begin, 7)
            got = model.read(text.ids[: text.begin + begin] + draft).logits[-len(says) :].argmax(axis=-1)
            assert got.tolist() == says
