"""The card of lesson 14 on a page: the model writes there, and what is drawn is what the explorer draws."""

import contextlib

import numpy as np
import pytest

from helpers import decoder, explorers
from rooms.let_it_write.explorers import TEMPERATURES
from web import front, played
from workbench.recording import record

from .playing import Computed, players, served

pytestmark = pytest.mark.everything

WINDOWS = {
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
PAGE = """<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="player.css"><script src="player.js" defer></script>
<body style="margin: 0; --jp-code-font-family: monospace">"""
SHARES = """([logits, temperature, topP]) => window.letterModel.probabilities(logits, temperature, topP)"""
RANDOMS = """seed => { const next = window.letterModel.randoms(seed); return Array.from({length: 72}, () => next.next().value); }"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A page with both cards of the lesson, and the scripts that compute for them."""
    folder = tmp_path_factory.mktemp("site")
    scripts = played.MODELS[explorers.explore_writing().computed_by]
    made = [explorers.explore_writing(), explorers.explore_writing(temperature=0.0)]
    blocks = [record.recorded(each, f"card-{k}", "", computed=scripts) for k, each in enumerate(made)]
    for name, data in (item for block in blocks for item in block.files.items()):
        (folder / name).write_bytes(data)
    for name in {"writer.js", "writing.js"} & set(scripts):
        (folder / name).write_bytes((played.ROOT / "web" / name).read_bytes())
    (folder / "letters.js").write_text(front.letters(), encoding="utf-8")
    (folder / "player.css").write_text(record.player_css(), encoding="utf-8")
    (folder / "player.js").write_bytes(record.PLAYER_FILES[0].read_bytes())
    (folder / "index.html").write_text(PAGE + "".join(block.html for block in blocks), encoding="utf-8")
    return folder


@contextlib.contextmanager
def opened(chromium, folder, window):
    """The page in a window: (page, what went wrong on it, names of the files that it asked for)."""
    with served(folder) as address, contextlib.closing(chromium.new_context(**WINDOWS[window])) as context:
        page, troubles, asked = context.new_page(), [], []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
        page.on("request", lambda request: asked.append(request.url.removeprefix(address)))
        page.goto(f"{address}index.html")
        yield page, troubles, asked


@pytest.mark.parametrize("window", WINDOWS)
def test_whatever_is_set_or_typed_the_picture_is_the_one_that_the_explorer_draws(chromium, folder, window):
    with opened(chromium, folder, window) as (page, troubles, asked):
        cards = players(page)
        assert [type(each) for each in cards] == [Computed] * 2
        assert "letters.js" not in asked, "the model is fetched before anybody asks"
        assert [complaint for card in cards for complaint in card.play()] == [] and troubles == []
    assert [asked.count(name) for name in ("writer.js", "letters.js", "writing.js")] == [1, 1, 1]


def test_numbers_of_the_page_are_those_of_numpy(chromium, folder):
    """Random numbers of every try to the last bit, and probabilities at all temperatures; of equal shares, top-p keeps the first."""
    tries = explorers.explore_writing().controls["draw"]
    assert list(front.TRIES) == list(range(tries.min, tries.max + 1))
    logits = [*np.random.default_rng(0).normal(0, 3, 30), 7.0, 7.0]
    with opened(chromium, folder, "desk") as (page, *_):
        players(page)[0].box.query_selector("[data-control='2'] input").press("Home")
        page.wait_for_function("window.letterModel")
        for seed in front.TRIES:
            assert page.evaluate(RANDOMS, seed) == np.random.default_rng(seed).random(72).tolist()
        for temperature in TEMPERATURES:
            for top_p in (0.1, 0.3, 0.55, 0.9, 1.0):
                wanted = decoder.probabilities(logits, temperature=temperature, top_p=top_p)
                found = page.evaluate(SHARES, [logits, temperature, top_p])
                np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
                assert [share > 0 for share in found] == (wanted > 0).tolist()


def test_a_page_that_computes_something_else_is_noticed(chromium, folder, tmp_path):
    """The comparison can fail: other random numbers, another head, a letter further on, a text that is not kept."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name, right, wrong in (
        ("writer.js", "yield Number(", "yield 0.999 * Number("),
        ("writing.js", "looked[head - 1]", "looked[head % 8]"),
        ("writing.js", "[5, k - start]", "[5, k - start && k - start - 1]"),
        ("player.js", "there[steps[i]] = steps[i + 1]", "there[steps[0]] = steps[1]"),
        ("player.js", "if (this.now) data.states[1] = there;", "if (this.now) data.states[1] ??= there;"),
    ):
        script = (folder / name).read_text(encoding="utf-8")
        assert right in script
        (tmp_path / name).write_text(script.replace(right, wrong), encoding="utf-8")
        with opened(chromium, tmp_path, "desk") as (page, *_):
            assert players(page)[0].play() != [], wrong
        (tmp_path / name).write_text(script, encoding="utf-8")


def test_without_a_network_the_card_says_why_nothing_moves_and_goes_on_once_there_is_one(chromium, folder):
    with opened(chromium, folder, "desk") as (page, *_):
        card = players(page)[0]
        page.route("**/letters.js", lambda route: route.abort())
        line, told = card.box.query_selector("input[type=text]"), card.box.query_selector(".player-told")
        line.fill("my own text")
        page.wait_for_function("told => told.textContent.includes('network')", arg=told)
        assert line.input_value() == "my own text"
        page.unroute("**/letters.js")
        line.press("Enter")
        card._look("a second try")
        assert "my own text" in card.box.query_selector(".explorer-view").inner_text().replace("\n", "")
