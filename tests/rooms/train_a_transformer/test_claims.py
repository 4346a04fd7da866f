"""What the text of this lesson says in numbers, computed on its own."""

import contextlib
import io

import numpy as np
import pytest

from helpers import attention, transformer
from helpers.learning import training
from rooms.shared import date_model, dates
from rooms.train_a_transformer import growing
from tests.notebooks import cells, prose


@pytest.mark.everything
def test_without_one_of_six_heads_half_of_500_copied_dates_go_wrong():
    model, days = date_model.load_model(), dates.split()[1][:500]
    batch = dates.batch_of([day.isoformat() for day in days], days)
    left = {
        (attention, head): date_model.accuracy(date_model.without_head(model, attention, head), batch)
        for attention in date_model.ATTENTIONS
        for head in range(date_model.MODEL["num_heads"])
    }
    half = sorted(attention for (attention, _), share in left.items() if share < 0.55)
    assert half == ["cross", "decoder", "decoder", "encoder", "encoder", "encoder"]
    assert date_model.accuracy(model, batch) == 1 and np.median(list(left.values())) > 0.4


def test_a_stored_training_first_says_2000_and_in_the_end_reads():
    written, batch, _ = growing._stored()
    said = {step: written[growing.STEPS.index(step)] for step in growing.ROWS}
    early = {dates.to_text(row) for row in said[30]}
    assert len(early) == 11 and all(text.startswith("2000") for text in early)
    assert sum(dates.to_text(row).startswith("20") for row in batch.targets) == 72
    twenty = [dates.to_text(row) for row in said[30][:20]]
    assert len(set(twenty)) == 7 and all(text.startswith("2000") for text in twenty)
    wanted = [dates.to_text(row) for row in batch.targets[:20]]
    assert sum(text.startswith("20") for text in wanted) == 16 and any(text.startswith("1982") for text in wanted)
    assert (written[growing.STEPS.index(300)] == batch.targets).all(), "the last one got all 100"


def test_only_in_examples_with_slashes_the_day_always_came_first():
    day = dates.read("21 nov 2026")
    written = [dates.write(day, style) for style in dates.FORMATS]
    assert sum(not text.startswith("21") for text in written) == 5
    assert [text for text in written if "/" in text] == ["21/11/26", "21/11/2026"]


@pytest.mark.everything
def test_a_model_trained_without_the_mask_gives_the_letters_that_it_is_shown_and_one_with_it_those_that_it_reads():
    space = {}
    for source in cells("train_a_transformer", "code"):
        if source.startswith(
            ("import datetime", "day = ", "def loss_of", "def warm_up", "def one_style", "def without_mask")
        ):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(source.partition('print(f"loss')[0], space)
    honest = training.train(space["small"], space["loss_of"], space["one_style"](seed=1), **space["how"])
    days = dates.split()[1][:100]
    sources, lengths, targets = dates.batch_of([dates.write(day, "21 Nov 2026") for day in days], days)
    shown = np.roll(targets, 7, axis=0)  # of other days; the tenth letter is never shown
    read = np.concatenate([np.full((100, 1), dates.START), shown[:, :-1]], axis=1)
    differ, followed = (shown != targets)[:, :9], []
    for model, mask in ((space["cheater"], np.ones((10, 10), bool)), (honest, None)):
        seen = attention.padding_mask(lengths, sources.shape[-1])
        memory = transformer.encode(sources, model.parameters, **date_model.MODEL, mask=seen)
        scores = transformer.decode(read, memory, model.parameters, **date_model.MODEL, mask=mask, memory_mask=seen)
        followed.append((scores.argmax(axis=-1) == shown)[:, :9][differ].mean())
    assert (
        0.65 < followed[0] < 0.75
        and followed[1] < 0.1
        and "7 in 10 of the letters shown" in prose("train_a_transformer")
    )


@pytest.mark.everything
def test_torch_clips_by_keeping_the_direction():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    weights = torch.nn.Parameter(torch.zeros(2))
    weights.grad = torch.tensor([3.0, 4.0])
    torch.nn.utils.clip_grad_norm_([weights], 1.0)
    np.testing.assert_allclose(weights.grad, [0.6, 0.8], rtol=1e-5)
    assert torch.optim.lr_scheduler.LambdaLR
