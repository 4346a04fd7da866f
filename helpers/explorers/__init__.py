"""What a learner moves. `Explorer` is the mechanism; each `explore_…()` returns one, `predict` asks a question, `drill` for numbers.

Every explorer has `.controls` (dict name -> ipywidget) and `.shown` (dict name -> array that it displays now).
"""

import difflib
import importlib

PLACES = {  # module: what stands in it; a module is imported when something of it is first used
    "ask": ["explore_ask_for_b", "explore_wrong_weights"],
    "cache": ["explore_cache", "explore_cache_bytes"],
    "controls": ["NumberGrid", "SwitchGrid", "choose", "slider", "stops", "switch", "text_field"],
    "costs": ["explore_cost", "explore_stream"],
    "cross": ["explore_cross"],
    "drills": ["drill"],
    "engine": [
        "SHARES",
        "Explorer",
        "Light",
        "Moment",
        "Rule",
        "between",
        "explorer",
        "rows_sum_to_one",
        "wrong_turns",
    ],
    "heads": ["explore_binding", "explore_heads", "explore_wrong_reshape"],
    "hunt": ["explore_hiding_examples", "explore_hunt"],
    "language_model": ["explore_head_wall", "explore_next_token", "explore_residual_stream"],
    "layer": ["explore_depth", "explore_layer_norm", "explore_span"],
    "learning": ["explore_learning", "explore_one_b", "explore_optimizers"],
    "lookup": ["explore_lookup"],
    "masks": ["explore_mask"],
    "notation": ["explore_notation"],
    "notes": ["explore_notes", "explore_wrong_number"],
    "own_maps": ["explore_attention"],
    "patches": ["explore_patch_shuffle", "explore_patches"],
    "positions": ["explore_encoding", "explore_shuffle"],
    "projections": ["explore_projections", "explore_wrong_projections"],
    "questions": ["Predict", "predict"],
    "reach": ["explore_best_keys", "explore_window_reach"],
    "read_model": ["explore_configurations", "explore_model_hunt"],
    "real_model": ["explore_own_text", "explore_real_heads"],
    "rotary": ["explore_reach", "explore_rotation"],
    "scale": ["explore_response", "explore_scale"],
    "she": ["explore_she"],
    "similar": ["explore_question", "explore_similar_words"],
    "sinks": ["explore_resting", "explore_sink"],
    "stack": ["explore_architecture", "explore_wrong_decoder"],
    "states": ["explore_recall", "explore_state"],
    "three_tokens": ["explore_three_tokens", "explore_wrong_turns"],
    "touch": ["Paint", "Plane", "Sum", "Swap", "Touch"],
    "translation": ["explore_ablation", "explore_decoding"],
    "watching": ["watch_dates"],
    "writing": ["explore_learning_to_write", "explore_writing"],
    "copying": ["explore_copying", "explore_growing_heads", "explore_two_heads"],
}
MODULE_OF = {name: module for module, names in PLACES.items() for name in names}
__all__ = sorted(MODULE_OF)


def __getattr__(name):
    if name in PLACES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in MODULE_OF:
        near = "".join(f" Did you mean {each}?" for each in difflib.get_close_matches(name, MODULE_OF, 1))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{near}")
    found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{MODULE_OF[name]}"), name)
    return found


def __dir__():
    return __all__
