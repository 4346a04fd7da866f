"""What the text of this lesson says in numbers, computed on its own."""

import re
import time

import nbformat
import numpy as np
import pytest

from helpers import decoder, explorers, language_model, yours
from helpers.attention import softmax
from helpers.learning import optimizers, small_models, training
from helpers.learning.parameters import from_vector, to_vector
from helpers.support import data_files
from rooms.let_it_write import answers, colour_names, ladder
from tests import notebooks

UNREAD = small_models.prose()[-small_models.HELD_OUT :]
PIECES = [UNREAD[k : k + 49] for k in range(0, 7900, 49)]


@pytest.fixture(scope="module")
def read():
    """Probabilities of the letters that come next in text that the model has never read, and how far its heads look."""
    numbers = np.array([small_models.to_numbers(piece, small_models.LETTERS) for piece in PIECES])
    decoded = decoder.decode(numbers[:, :-1], small_models.load_model("letters"), num_heads=4)
    shares = np.take_along_axis(softmax(decoded.logits), numbers[:, 1:, None], axis=-1)[..., 0]
    return shares, [each.weights for each in decoded.attention]


def test_a_model_is_sure_of_the_end_of_a_word(read):
    found = {"first": [], "late": []}
    for piece, shares in zip(PIECES, read[0], strict=True):
        for k, share in enumerate(shares, start=1):
            before = len(piece[:k]) - len(piece[:k].rstrip("abcdefghijklmnopqrstuvwxyz"))
            if piece[k].isalpha() and (before == 0 or before >= 4):
                found["late" if before else "first"].append(share)
    assert [f"{np.mean(found[kind]):.0%}" for kind in ("first", "late")] == ["10%", "69%"]


def test_heads_look_back_six_letters(read):
    back = np.arange(48)[:, None] - np.arange(48)
    near = [(weights * (back < 6))[..., 20:, :].sum(-1).mean() for weights in read[1]]
    assert [f"{share:.0%}" for share in near] == ["98%", "88%"]


def test_a_loop_reads_what_it_read_one_round_before():
    texts = [("attention is " + "the same " * rounds)[-48:] for rounds in range(8)]
    assert texts[7] == texts[6] != texts[5]
    assert set(texts[6].replace("the same", "").strip()) <= {" ", "m", "e"}  # it begins within a word


def test_more_of_the_same_does_not_make_it_likelier():
    model = small_models.load_model("letters")

    def surprise(rounds):
        tokens = small_models.to_numbers("attention is " + "the same " * (rounds + 1), small_models.LETTERS)
        pieces = [tokens[max(k - 48, 0) : k + 1] for k in range(len(tokens) - 9, len(tokens))]
        logits = [decoder.decode(piece[:-1], model, num_heads=4).logits[-1] for piece in pieces]
        return -sum(np.log(softmax(row)[piece[-1]]) for row, piece in zip(logits, pieces, strict=True))

    assert surprise(0) < surprise(3) < surprise(2) and np.isclose(surprise(7), surprise(6))


@pytest.mark.parametrize(("temperature", "loops"), [(0.0, True), (0.2, False)])
def test_the_first_step_of_temperature_breaks_the_loop(temperature, loops):
    text = small_models.to_text(
        explorers.explore_writing(temperature=temperature).shown["tokens"], small_models.LETTERS
    )
    assert (text[13:] == "the same " * 8) == loops


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_what_the_marks_of_a_conversation_change():
    stored = data_files.json_file(answers.PATH)
    model = language_model.load(progress=None)
    assert {text: answers.written(model, text) for text in stored} == stored


def test_what_it_answers_is_told_as_it_is_stored():
    france, cat = "What is the capital of France", "Can you give me three names for a cat"
    stored, told = data_files.json_file(answers.PATH), notebooks.prose("let_it_write")
    assert stored[france] == stored[cat] == "?" and "it writes *?*" in told
    assert f"it writes *{stored[answers.marked(france)]}*" in told
    assert "Luna's Lunacy" in stored[answers.marked(cat)] and "*Luna's Lunacy*" in told


@pytest.mark.everything
def test_perplexities_of_the_table():
    """Of the eight words at a time of text that it has read, and of such that it has not: as they are, shuffled, backwards."""
    model, rng = small_models.load_model("letters"), np.random.default_rng(14)

    def by_eight(text):
        words = text.split()
        return [" ".join(words[k : k + 8]) for k in range(0, len(words) - 8, 8)]

    def perplexity(texts):
        numbers = [small_models.to_numbers(text, small_models.LETTERS) for text in texts]
        return np.exp(np.mean([small_models.loss_of(model, [row]) for row in numbers]))

    read, unread = by_eight(small_models.prose()[:8000]), by_eight(small_models.prose()[-8000:])
    shuffled = [" ".join(rng.permutation(text.split())) for text in unread]
    found = [perplexity(texts) for texts in (read, unread, shuffled, [text[::-1] for text in unread])]
    rows = notebooks.rows_of("let_it_write", "| text | perplexity |")
    assert [told for _, told in rows] == [f"{each:.1f}" for each in found]


def test_unlikely_letters_have_five_percent_together():
    model, shares, begin = small_models.load_model("letters"), [], "attention is "
    for seed in range(3):
        text = begin + small_models.go_on(model, begin, 72, temperature=1.0, top_p=1.0, rng=np.random.default_rng(seed))
        for k in range(len(begin), len(text)):
            numbers = small_models.to_numbers(text[max(0, k - 48) : k], small_models.LETTERS)
            p = decoder.probabilities(decoder.decode(numbers, model, num_heads=4).logits[-1])
            shares.append(p[p < 0.02].sum())
    assert round(np.mean(shares), 2) == 0.05 and 3 < 72 * np.mean(shares) < 4


def test_800_steps_take_a_minute_or_less(page):
    """Of twenty steps, with room for a slower machine; without the one thread it was more than three minutes."""
    page["training"].loss_and_gradient(lambda W: np.sum(W["x"] ** 2), {"x": np.ones(2)})
    losses, vector, begun = list(page["losses"]), to_vector(page["start"]), time.process_time()
    for step in range(1, 21):
        page["gradient_of"](vector, step)
    page["losses"][:] = losses
    assert 800 / 20 * (time.process_time() - begun) < 90


def test_a_line_of_colours_has_sixteen_tokens_that_count():
    assert round(np.mean([len(line) + 1 for line in colour_names.lines()])) == 16


@pytest.fixture(scope="module")
def page():
    """What the cells of the GPT on one page define, and the stored model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_MODEL", "")
        space = {"np": np, "colour_names": colour_names, "training": training, "optimizers": optimizers, "yours": yours}
        space |= {"to_vector": to_vector, "from_vector": from_vector}
        (path,) = notebooks.FOLDER.glob("*_let_it_write.ipynb")
        sources = [cell.source for cell in nbformat.read(path, 4).cells if "page" in cell.metadata.get("tags", [])]
        for source in sources:
            exec(source, space)
        space["trained"] = colour_names.load_model(space["start"])
        space["num_lines"] = sum(line.strip() != "" for source in sources for line in source.splitlines())
        yield space


def test_the_page_is_short_and_its_model_has_learned(page):
    assert 50 < page["num_lines"] <= 80
    assert len(to_vector(page["start"])) == 41_904
    assert float(page["loss_of"](page["trained"], page["rows"])) < 0.9 < 3 < page["losses"][0]
    assert np.mean(page["losses"][-5:]) < 3


def test_the_recorded_training_begins_as_the_page_does_ends_at_the_stored_model_and_says_what_is_told(page):
    rows = [line.partition(": ")[::2] for line in colour_names.recorded_training().splitlines()]
    assert [int(re.search(r"\d+", row)[0]) for row, _ in rows] == list(range(0, 801, 50))
    says = [text for _, text in rows]
    assert says[0] == page["write"](page["start"], "fo", 0) and rows[0][0].endswith(f"loss {page['losses'][0]:.1f}")
    assert says[-1] == colour_names.goes_on("fo") == page["write"](page["trained"], "fo", 0)
    assert "#" not in says[0] and says[1].endswith(" #")
    assert says[9] == "forest #151" and not any("forest" in text for text in says[:9])


def test_a_colour_of_the_wall_is_begun_twice():
    rng = np.random.default_rng(4)
    wall = [colour_names.goes_on("", 1.0, rng) for _ in range(21)]
    assert [line for line in wall if line.count("#") > 1] == ["shocking #e #900"]
    assert wall[0].startswith("very dark #") and sum(int(digit, 16) for digit in wall[0][-3:]) / 45 < 0.2


def test_what_the_wall_draws_beside_it_has_learned_by_heart_from_the_survey():
    rng, read = np.random.default_rng(4), colour_names.lines()
    wall = [colour_names.goes_on("", 1.0, rng) for _ in range(21)]
    assert {"faded orange #ed0", "deep lavender #896"} <= set(wall) - set(read)
    for line in ("deep lavender #86b", "faded orange #e95"):
        assert line in read and colour_names.goes_on(line[:-3]) == line
    words = {word for line in read for word in line.split()}
    assert {"olive", "rose"} <= words and not {"sarah", "alex"} & words


def test_dark_is_dark_and_most_lines_end_in_a_colour(page):
    def light(name):
        return sum(int(digit, 16) for digit in page["write"](page["trained"], f"{name} #", 0)[-3:]) / 45

    for name in ("red", "green", "blue", "purple"):
        assert light(f"dark {name}") + 0.15 < light(f"light {name}")
    rng = np.random.default_rng(0)
    written = [page["write"](page["trained"], "", 1.0, rng) for _ in range(100)]
    assert np.mean([re.fullmatch(r"[a-z '/]+ #[0-9a-f]{3}", line) is not None for line in written]) > 0.8
    names = {line.rpartition(" ")[0] for line in page["lines"]}
    assert 0.2 < np.mean([line.rpartition(" ")[0] not in names for line in written]) < 0.7


def test_the_page_is_what_the_decoder_of_the_course_is(page):
    """Heads by hand, token by token: no place sees a later one, and the parts mix what they should."""
    W, tokens = page["trained"], page["rows"][5, :12]
    x = W["sign"][tokens].astype(float) + W["place"][:12]
    for layer in W["layers"]:
        a, out = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5), np.zeros_like(x)
        for head in range(4):
            part = slice(12 * head, 12 * head + 12)
            query, key, value = (a @ layer[name][:, part] for name in ("query", "key", "value"))
            for t in range(12):
                powers = np.exp(query[t] @ key[: t + 1].T / np.sqrt(12))
                out[t, part] = powers / powers.sum() @ value[: t + 1]
        x = x + out @ layer["output"]
        a = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
        x = x + np.maximum(a @ layer["up"], 0) @ layer["down"]
    logits = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) @ W["logits"]
    np.testing.assert_allclose(page["gpt"](tokens, W), logits, atol=2e-4)


def test_what_the_swatches_are_written_by_is_the_model_of_the_page(page):
    for beginning in ("sarah #", "forest", "", "old tea #"):
        assert colour_names.goes_on(beginning) == page["write"](page["trained"], beginning, 0)
    W = colour_names.model()
    np.testing.assert_array_equal(to_vector(W), to_vector(page["trained"]))


def test_names_in_many_other_alphabets_are_read_and_chinese_and_thai_ones_are_not():
    told = notebooks.prose("let_it_write")
    assert "those of many other alphabets" in told and "*Жанна* is read as *zhanna*, and *김민수* as *gimminsu*" in told
    names = {"Éü": "eu", "Жанна": "zhanna", "김민수": "gimminsu", "Γιώργος": "giorgos", "李明": "", "สมชาย": ""}
    assert {name: colour_names.readable(name)[0] for name in names} == names
    assert {"olive", "ruby", "violet"} <= {word for line in colour_names.lines() for word in line.split()}


def share_of_words_it_has_read(explorer):
    """Of the words that the model has written in twenty tries, all but the last of each, which may be cut off."""
    words, found = {re.sub("[^a-z']", "", word) for word in small_models.prose().split()}, []
    for draw in range(1, 21):
        explorer.set(draw=draw)
        text = small_models.to_text(explorer.shown["tokens"], small_models.LETTERS)[13:]
        found += [re.sub("[^a-z']", "", word) in words for word in text.split()[:-1]]
    return np.mean(found)


@pytest.mark.everything
def test_three_bars_write_words_and_a_temperature_of_2_babbles():
    explorer = explorers.explore_writing(temperature=1.2)
    assert 0.6 < share_of_words_it_has_read(explorer) < 0.9
    explorer.set(top_p=0.3)
    assert (explorer.shown["probabilities"] > 0).sum() == 3 and share_of_words_it_has_read(explorer) == 1
    explorer.set(top_p=1.0, temperature=2.0)
    assert share_of_words_it_has_read(explorer) < 0.4


def test_top_p_of_0_8_keeps_5_7_and_2_7():
    kept = decoder.probabilities(np.log([1, 2, 5]), temperature=1.0, top_p=0.8)
    np.testing.assert_allclose(kept, [0, 2 / 7, 5 / 7])


def test_ladder_to_a_chatbot_in_one_digit():
    space = {"np": np, "ladder": ladder, "colour_names": colour_names}
    (source,) = (cell for cell in notebooks.cells("let_it_write", "code") if cell.startswith("models = {"))
    exec(source.replace("ladder.powers_of_ten(minutes)", "drawn = ladder.powers_of_ten(minutes)"), space)
    told = ("this page a minute", "SmolLM2-135M 30,000 years", "GPT-3 6 million years", "DeepSeek-V3 60 million years")
    assert space["drawn"].text.partition(": ")[2] == ", ".join(told) + "."


@pytest.mark.parametrize("minutes", [{}, {"quick": 0.5}])
def test_ladder_refuses_what_is_shorter_than_a_minute(minutes):
    with pytest.raises(ValueError, match="minutes must hold at least 1 for each name"):
        ladder.powers_of_ten(minutes)
