"""What a learner moves. `Explorer` is the mechanism; each `explore_…()` returns one, `predict` asks a question, `drill` for numbers.

Every explorer has `.controls` (dict name -> ipywidget) and `.shown` (dict name -> array that it displays now).
"""

from helpers.explorers.cache import explore_cache, explore_shared_heads, explore_wrong_cache
from helpers.explorers.controls import NumberGrid, SwitchGrid, choose, slider, stops, switch, text_field
from helpers.explorers.costs import explore_cost, explore_stream, explore_wrong_stream
from helpers.explorers.cross import explore_cross, explore_reuse, explore_wrong_source
from helpers.explorers.drill import drill
from helpers.explorers.engine import (
    SHARES,
    Explorer,
    Light,
    Moment,
    Rule,
    between,
    explorer,
    rows_sum_to_one,
    wrong_turns,
)
from helpers.explorers.formula import explore_formula
from helpers.explorers.heads import explore_heads, explore_two_peaks, explore_wrong_reshape
from helpers.explorers.hunt import explore_hiding_examples, explore_hunt
from helpers.explorers.layer import explore_depth, explore_layer_norm, explore_span, explore_wrong_norm
from helpers.explorers.learning import explore_learning, explore_one_b, explore_optimizers, explore_wrong_training
from helpers.explorers.lookup import explore_lookup
from helpers.explorers.masks import explore_mask, explore_padding, explore_wrong_mask, explore_wrong_meaning
from helpers.explorers.notation import explore_notation, explore_wrong_notation
from helpers.explorers.notes import explore_notes, explore_wrong_number
from helpers.explorers.patches import explore_patch_shuffle, explore_patches, explore_wrong_patches
from helpers.explorers.positions import explore_encoding, explore_shuffle, explore_wrong_waves
from helpers.explorers.projections import explore_projections, explore_wrong_projections
from helpers.explorers.query import explore_query, explore_wrong_softmax
from helpers.explorers.questions import Predict, predict
from helpers.explorers.real_model import (
    explore_own_text,
    explore_real_heads,
    explore_votes,
    explore_wrong_head,
)
from helpers.explorers.rotary import explore_reach, explore_rotation, explore_wrong_rotation
from helpers.explorers.scale import explore_scale, explore_wrong_scale
from helpers.explorers.short_rows import explore_bounds, explore_resting, explore_sink, explore_wrong_short
from helpers.explorers.similar import explore_hull, explore_similar_words, explore_wrong_mixture
from helpers.explorers.soft_select import explore_soft_select, explore_wrong_lookup
from helpers.explorers.stack import explore_generation, explore_leak, explore_wrong_decoder
from helpers.explorers.states import explore_recall, explore_state, explore_wrong_state
from helpers.explorers.suspects import explore_suspects
from helpers.explorers.three_tokens import explore_three_tokens, explore_wrong_turns
from helpers.explorers.touch import Paint, Plane, Sum, Swap, Touch
from helpers.explorers.translation import explore_ablation, explore_decoding

__all__ = [
    "SHARES",
    "Explorer",
    "Light",
    "Moment",
    "NumberGrid",
    "Paint",
    "Plane",
    "Predict",
    "Rule",
    "Sum",
    "Swap",
    "SwitchGrid",
    "Touch",
    "between",
    "choose",
    "drill",
    "explore_ablation",
    "explore_bounds",
    "explore_cache",
    "explore_cost",
    "explore_cross",
    "explore_decoding",
    "explore_depth",
    "explore_encoding",
    "explore_formula",
    "explore_generation",
    "explore_heads",
    "explore_hiding_examples",
    "explore_hull",
    "explore_hunt",
    "explore_layer_norm",
    "explore_leak",
    "explore_learning",
    "explore_lookup",
    "explore_mask",
    "explore_notation",
    "explore_notes",
    "explore_one_b",
    "explore_optimizers",
    "explore_own_text",
    "explore_padding",
    "explore_patch_shuffle",
    "explore_patches",
    "explore_projections",
    "explore_query",
    "explore_reach",
    "explore_real_heads",
    "explore_recall",
    "explore_resting",
    "explore_reuse",
    "explore_rotation",
    "explore_scale",
    "explore_shared_heads",
    "explore_shuffle",
    "explore_similar_words",
    "explore_sink",
    "explore_soft_select",
    "explore_span",
    "explore_state",
    "explore_stream",
    "explore_suspects",
    "explore_three_tokens",
    "explore_two_peaks",
    "explore_votes",
    "explore_wrong_cache",
    "explore_wrong_decoder",
    "explore_wrong_head",
    "explore_wrong_lookup",
    "explore_wrong_mask",
    "explore_wrong_meaning",
    "explore_wrong_mixture",
    "explore_wrong_norm",
    "explore_wrong_notation",
    "explore_wrong_number",
    "explore_wrong_patches",
    "explore_wrong_projections",
    "explore_wrong_reshape",
    "explore_wrong_rotation",
    "explore_wrong_scale",
    "explore_wrong_short",
    "explore_wrong_softmax",
    "explore_wrong_source",
    "explore_wrong_state",
    "explore_wrong_stream",
    "explore_wrong_training",
    "explore_wrong_turns",
    "explore_wrong_waves",
    "explorer",
    "predict",
    "rows_sum_to_one",
    "slider",
    "stops",
    "switch",
    "text_field",
    "wrong_turns",
]
