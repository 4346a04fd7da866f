"""Read a model: what four published ones keep and hold, by their sizes, the lines that ten add, and a config.json of anybody's."""

import html
import json
import math

import numpy as np

from helpers.models import fetched, gguf_file
from rooms.read_a_model import config_json, configurations, model_lines
from rooms.shared import fetching
from workbench import Drawing, Html, Touch, choose, explorer, matrices, scientific, slider, stops, text_field
from workbench.pictures.html import hanging, in_two_widths

NAMES = configurations.names()
KINDS = {name: configurations.layer_kinds(name) for name in NAMES}
MOST = max(map(len, KINDS.values()))
PARTS = {"vocabulary": 0.9, "attention": 0.6, "feed-forward for one token": 0.35, "experts it skips": 0.16}  # how dark
LOOKS = {"whole": "keys and values of all {tokens}", "window": "those of its newest tokens",
         "latent": "the short vectors of all {tokens}", "state": "a state that never grows"}  # fmt: skip


def explore_configurations():
    """Read a text with four published models, and see what each of their layers keeps of it.

    Shown: kept (4, 61) bytes, 0 where a model has no such layer; total (4,); parameters (4, 4), by part
    """
    made = explorer(
        _weigh,
        _rows_of_bars,
        _tell_model,
        touch={"layers": Touch(lambda now, i, j: {"model": NAMES[i], "layer": j + 1}, _say_layer)},
        folded=["layer"],
        tokens=stops("tokens of the text", [(f"{n:,}", n) for n in (128, 1024, 8192, 32_768, 131_072)], 131_072),
        model=choose("model", NAMES, "gpt-oss-120b"),
        layer=slider("layer", 2, 1, MOST, 1),
    )
    made.share = 4
    return made


def _say_layer(now, i, j):
    return f"{NAMES[i]}, layer {j + 1}: {KINDS[NAMES[i]][j]}, keeps {_size(now.kept[i, j])}"


def _weigh(tokens, model, layer):
    # in a browser they would have 32 bits
    rows = [np.array(configurations.kept_bytes(name, tokens), dtype=np.int64) for name in NAMES]
    return {
        "kept": np.array([np.pad(row, (0, MOST - len(row))) for row in rows]),
        "total": np.array([row.sum() for row in rows]),
        "parameters": np.array([configurations.count_parameters(name) for name in NAMES]),
    }


def _size(count):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"


LATENT = 0.7  # how dark what is kept is that is neither key nor value
LEFT, STEP, TALL, ROW, TOP = 186, 8, 58, 100, 34


@in_two_widths((LEFT, STEP, ROW, TOP), (2, 3.9, 132, 62))
def _rows_of_bars(now, left, step, row, top):
    """A row for each model, a bar for each layer, as tall as what it keeps; below it a bar of all its numbers, by part.

    `left` of the bars is room for the models' names, or they stand above them.
    """
    phone, width = left < LEFT, MOST * step
    picture, places = Drawing(left + width + 96, top + row * len(NAMES) + (74 if phone else 34)), now.places("layers")
    tallest = now.kept.max()
    title = "what each layer keeps, first to last; below it, all numbers of the model"
    for k, words in enumerate(title.split("; ") if phone else [title]):
        picture.words(left, 14 + 18 * k, words, size=13, anchor="start", colour="muted")
    picture.words(left + width + 10, 50 if phone else 14, "cache", size=13, anchor="start", colour="muted")
    for i, name in enumerate(NAMES):
        floor, here, parts = top + row * i + TALL + 30 * phone, name == now.model, now.parameters[i]
        (at, y, ends), colour = (left, 76, "start") if phone else (left - 14, 26, "end"), "chosen" if here else "ink"
        picture.words(at, floor - y, name, size=14, anchor=ends, bold=True, colour=colour)
        at, y, ends = (left + width + 10, 76, "start") if phone else (left - 14, 6, "end")
        picture.words(at, floor - y, _number(parts.sum()), size=13, anchor=ends, colour="muted")
        picture.words(left + width + 10, floor - 2, _size(now.total[i]), size=15, anchor="start", font_weight=600)
        if now.tokens > configurations.most_tokens(name):
            most = f"{configurations.most_tokens(name):,} tokens"
            picture.words(left + width + 10, floor + 16, most, size=12, anchor="start", colour="muted")
        for j, kind in enumerate(KINDS[name]):
            x, height = left + j * step, max(2.0, TALL * now.kept[i, j] / tallest)
            box = {"x": x + step / 8, "width": 0.75 * step}
            if kind in ("whole", "window"):  # a key and a value
                picture.add("rect", y=floor - height, height=height / 2, fill="value", **box)
                picture.add("rect", y=floor - height / 2, height=height / 2, fill="key", **box)
            else:
                picture.add("rect", y=floor - height, height=height, fill="ink", fill_opacity=LATENT, **box)
            if here and j == min(now.layer, len(KINDS[name])) - 1:
                picture.add("path", d=f"M{x + step / 2},{floor - height - 3}l-5,-7h10z", fill="chosen")
            picture.box(x, floor - TALL, step, TALL, fill="transparent", place=(places, i, j))
        picture.line((left, floor + 0.5), (left + len(KINDS[name]) * step, floor + 0.5), "line", 1)
        x = left
        for share, dark in zip(parts / parts.sum(), PARTS.values(), strict=True):
            picture.box(x, floor + 10, max(width * share - 1, 0.5), 9, fill="ink", fill_opacity=dark)
            x += width * share
    x, low = left, top + row * len(NAMES) + 6
    legend = {"key": ("key", 1), "value": ("value", 1), "latent or state": ("ink", LATENT)}
    for words, (colour, dark) in {**legend, **{words: ("ink", dark) for words, dark in PARTS.items()}}.items():
        if x + 16 + 6.6 * len(words) > picture.width or words == next(iter(PARTS)):  # the parts are of the lower bars
            x, low = left, low + 20
        picture.box(x, low - 10, 11, 11, fill=colour, fill_opacity=dark, stroke="line")
        picture.words(x + 16, low, words, size=12, anchor="start", colour="muted")
        x += 36 + 6.6 * len(words)
    told = "; ".join(
        f"{name}, {_kinds(name)}, {_reads(name, now.tokens)}keeps {_size(total)} and holds {_number(parts.sum())}"
        for name, total, parts in zip(NAMES, now.total, now.parameters, strict=True)
    )
    return picture.html(f"A text of {now.tokens:,} tokens. {told}.")


def _reads(name, tokens):
    most = configurations.most_tokens(name)
    return f"reads only {most:,} of them, " if tokens > most else ""


def _number(count):
    return f"{count / 1e9:.1f} billion" if count >= 1e9 else f"{count / 1e6:.1f} million"


def _kinds(name):
    kinds = KINDS[name]
    return " and ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)) + " layers"


def _tell_model(now):
    i = NAMES.index(now.model)
    at, kinds = min(now.layer, len(KINDS[now.model])), KINDS[now.model]
    most = configurations.most_tokens(now.model)
    read = "tokens" if now.tokens <= most else f"{most:,} tokens that it can read"
    keeps = LOOKS[kinds[at - 1]].format(tokens=read)
    rests = f"; a token meets {_number(configurations.count_met(now.model))} of them" if now.parameters[i][-1] else ""
    return (
        f"{now.model}: {_kinds(now.model)}, {_number(sum(now.parameters[i]))} numbers{rests}. "
        f"Layer {at}, {kinds[at - 1]}, keeps {keeps}: {_size(now.kept[i, at - 1])}."
    )


# --- the table that runs ----------------------------------------------------------------------------------------------

TOKENS = len(model_lines.IDS)


def explore_model_lines():
    """Choose a model, and see what it adds to the forty lines of Llama 3; click an addition to see its lines in their function.

    Shown: gap (), the largest difference of a logit from the library's class; without (num_additions, 2), the same with each addition
    left out, infinite where the code stops, and at how many of 13 tokens the largest logit agrees; added (), lines in all; open (), the
    index of the addition whose lines are shown
    """
    return explorer(
        _execute,
        lambda now: [_additions_of(now), _code_of(now)],
        _tell_lines,
        touch={"additions": Touch(lambda now, i, j: {"addition": i + 1}, _say_addition)},
        folded=["addition"],
        model=choose("model", list(model_lines.MODELS), "Qwen3"),
        addition=slider("addition", 1, 1, 9, 1),
    )


def _say_addition(now, i, j):
    return f"see the lines of “{_added(now)[i].words}”"


def _execute(model, addition):
    said, added = model_lines.MODELS[model], model_lines.additions(model_lines.MODELS[model])
    without = [model_lines.compare(model, (k,)) for k in range(len(added))]
    return {
        "gap": np.array(model_lines.compare(model).gap),
        "without": np.array([(each.gap, each.agree) for each in without]).reshape(-1, 2),
        "added": np.array(sum(line.by >= 0 and bool(line.text) for line in model_lines.program(said))),
        "open": np.array(min(addition, len(added)) - 1),
    }


def _added(now):
    return model_lines.additions(model_lines.MODELS[now.model])


def _additions_of(now):
    """A row for each addition: its lesson, its fields in config.json, and what happens without it."""
    said, rows = model_lines.MODELS[now.model], []
    for each, (gap, agree) in zip(_added(now), now.without):
        fields = ", ".join(f"{name}: {_brief(said[name])}" for name in each.fields if said.get(name) is not None)
        lost = "the code stops" if np.isinf(gap) else f"{gap:.3f}"
        told = "an error, at once" if np.isinf(gap) else f"{int(agree)} of {TOKENS}"
        rows.append([each.lesson, each.words, fields or "the kind alone", lost, told])
    if not rows:
        return matrices.sentence("Llama 3 adds nothing to the forty lines. Here they are.")
    columns = ["addition", "decided by", "off by without it", "largest logits that agree"]
    how = {"places": now.places("additions"), "marks": {(int(now.open), 0): "chosen"}}
    return matrices.table(rows, f"what {now.model} adds", columns, corner="lesson", **how)


def _brief(value):
    """A field of config.json in a few letters."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items() if key in ("rope_type", "factor"))
    return json.dumps(value)


def _code_of(now):
    """The functions in which an addition has lines, those lines marked; of Llama 3 all functions."""
    functions, opened = [], int(now.open)
    for line in model_lines.program(model_lines.MODELS[now.model]):
        if line.text.startswith("def "):
            functions.append([])
        if line.text:
            functions[-1].append(line)
    shown = [line for each in functions if opened < 0 or any(line.by == opened for line in each) for line in each]
    marked = "".join(  # a long line goes on further in
        f'<div style="{hanging(line.text)}{"background:color-mix(in srgb, var(--chosen,#2563eb) 16%, transparent);" if line.by == opened >= 0 else ""}'
        f'{"margin-top:8px;" if k and line.text.startswith("def ") else ""}">{html.escape(line.text)}</div>'
        for k, line in enumerate(shown)
    )
    style = "font-size:13px;line-height:1.45;margin:8px 0;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;background:none;"
    told = "\n".join(f"{'+' if line.by == opened >= 0 else ' '} {line.text}" for line in shown)
    return Html(f'<pre style="{style}"><code style="background:none;word-break:normal;">{marked}</code></pre>', told)


def _tell_lines(now):
    library = f"the class {model_lines.stored_class(now.model)} of {model_lines.LIBRARY}"
    exact = f"Run side by side, {now.model} differs from {library} by at most {_rounded_up(float(now.gap))}"
    if now.open < 0:
        return f"{exact}. It adds no line."
    added, (gap, agree) = _added(now)[int(now.open)], now.without[int(now.open)]
    if np.isinf(gap):
        lost = "the code stops, which is the kindest way to fail"
    else:
        silent = "every largest one still agrees, so a look at the text says nothing"
        lost = f"logits are off by up to {gap:.3f}, and {silent if agree == TOKENS else 'no message says so'}"
    lines = f"{now.added} {'line' if now.added == 1 else 'lines'} added or changed"
    return f"{exact}, with {lines}. Without “{added.words}” {lost}."


def _rounded_up(gap):
    """A small number as one digit and a power of ten, which is not less."""
    unit = 10.0 ** math.floor(math.log10(gap))
    return scientific(math.ceil(gap / unit) * unit)


# --- a config.json of anybody's ----------------------------------------------------------------------------------------

_LLAMA_3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip
PAGES = {  # as the published files have these fields
    "Qwen3-0.6B": {
        "model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151_936, "rope_theta": 1_000_000, "rms_norm_eps": 1e-06,
        "max_position_embeddings": 40_960, "tie_word_embeddings": True,
    },
    "Llama 3.1 8B": {
        "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14_336, "vocab_size": 128_256, "rope_theta": 500_000.0, "rope_scaling": _LLAMA_3, "rms_norm_eps": 1e-05,
        "max_position_embeddings": 131_072, "tie_word_embeddings": False,
    },
    "Gemma 3 1B": {
        "model_type": "gemma3_text", "hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
        "head_dim": 256, "intermediate_size": 6912, "vocab_size": 262_144, "rope_theta": 1_000_000, "rope_local_base_freq": 10_000,
        "sliding_window": 512, "sliding_window_pattern": 6, "query_pre_attn_scalar": 256, "max_position_embeddings": 32_768,
    },
    "one that contradicts itself": {
        "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 12,
        "intermediate_size": 14_336, "vocab_size": 128_256,
    },
}  # fmt: skip


def explore_own_configuration():
    """Paste a config.json, and hear which lines its model needs, how many numbers it has, and what its cache costs.

    Shown: layers (4,), how many are whole, windows, latent and states; parameters (4,), by part; met (), of them for a token;
    kept (2,), bytes of the cache for one token, and for as long a text as it can read; added (), how many additions
    """
    field = text_field("config.json: paste it, then press Enter", json.dumps(PAGES["Qwen3-0.6B"]))
    field.continuous_update, field.layout.min_width = False, "min(540px, 100%)"
    presets = {name: {"page": json.dumps(said)} for name, said in PAGES.items()}
    made = explorer(_weigh_own, _page_of, _tell_own, presets=presets, page=field)
    # once gguf is imported this way, a cell's `import gguf` finds it; in a browser that alone misses two libraries
    made.children = [*made.children, *fetching.button(fetched.SMOLLM2, gguf_file.library, "run the cells below.")]
    return made


def _weigh_own(page):
    said = config_json.read(page)
    kinds, most = configurations.layer_kinds(said), said["max_position_embeddings"]
    kept = [sum(configurations.kept_bytes(said, n)) for n in (most - 1, most)]
    return {
        "layers": np.array([kinds.count(kind) for kind in LOOKS]),
        "parameters": np.array(configurations.count_parameters(said), dtype=np.int64),
        "met": np.array(configurations.count_met(said), dtype=np.int64),
        "kept": np.array([kept[1] - kept[0], kept[1]], dtype=np.int64),
        "added": np.array(len(model_lines.additions(said))),
    }


def _page_of(now):
    said = config_json.read(now.page)
    added, asks = model_lines.additions(said), f"{said['num_attention_heads']} that ask"
    most = f"{_size(now.kept[1])} for {said['max_position_embeddings']:,} tokens"
    rows = [
        ["layers", ", ".join(f"{count} {kind}" for kind, count in zip(LOOKS, now.layers) if count)],
        ["heads", f"{asks}, {said['num_key_value_heads']} of keys and values, of width {said['head_dim']}"],
        *[[name, f"{count:,}"] for name, count in zip(PARTS, now.parameters) if count],
        ["in all", f"{now.parameters.sum():,}; a token is computed with {now.met:,}"],
        ["cache", f"{now.kept[0]:,} bytes for one token more; {most}"],
    ]
    rows += [[f"adds ({each.lesson})", each.words] for each in added] or [["adds", "nothing to Llama 3"]]
    return matrices.table(rows, f"a model of kind {said['model_type']}", ["what its page says"])


def _tell_own(now):
    added = model_lines.additions(config_json.read(now.page))
    head = f"{now.parameters.sum():,} numbers, {now.kept[0]:,} bytes of cache for one more token of a long text."
    if not added:
        return f"{head} The forty lines of Llama 3 read it as they are."
    return f"{head} It needs Llama 3's lines and {len(added)} {'addition' if len(added) == 1 else 'additions'}."
