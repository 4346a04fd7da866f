"""Known answers of the explorer of routers; what it shows is recorded: python -m tests.record explore_router."""

import numpy as np
import pytest

from helpers import explorers
from rooms.choose_experts.explorers import PRESETS


def test_mixtral_and_gpt_oss_route_alike_and_deepseek_in_two_groups_of_four():
    explorer = explorers.explore_router()
    shown = {}
    for name in ("Mixtral", "gpt-oss", "DeepSeek-V3"):
        explorer.set(**PRESETS[name])
        shown[name] = explorer.shown["shares"]
    np.testing.assert_allclose(shown["Mixtral"], shown["gpt-oss"], atol=1e-12)
    assert shown["DeepSeek-V3"].sum(axis=-1) == pytest.approx(np.full(12, 2.5))
    assert (shown["DeepSeek-V3"].reshape(12, 4, 2).any(axis=-1).sum(axis=-1) <= 2).all()
    explorer.set(evened=18)
    assert explorer.shown["load"].tolist() == [3, 3, 3, 3, 4, 3, 2, 3]


def test_with_groups_the_load_never_rests():
    explorer = explorers.explore_router()
    explorer.set(**PRESETS["DeepSeek-V3"])
    loads = []
    for evened in range(20, 41):
        explorer.set(evened=evened)
        loads.append(explorer.shown["load"])
    moved = np.abs(np.diff(loads, axis=0)).sum(axis=-1)
    assert (moved > 0).sum() >= 10 and moved.max() >= 8
