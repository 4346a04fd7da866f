"""The refresher keeps what belongs in git, notices outputs that are out of date, and never writes a broken notebook."""

import base64
import importlib.util
import io
from pathlib import Path

import nbformat.v4 as v4
import numpy as np
import pytest
from PIL import Image, ImageDraw

pytestmark = pytest.mark.everything

SCRIPT = Path(__file__).parents[1] / "refresh_notebooks.py"
_spec = importlib.util.spec_from_file_location("refresh_notebooks", SCRIPT)
refresh = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(refresh)


def picture(shift=0, label="weights", width=400):
    """A base64 PNG with a curve and a label, as a figure would be."""
    canvas = Image.new("RGB", (width, 300), "white")
    draw = ImageDraw.Draw(canvas)
    x = np.arange(20, 380)
    y = 150 + 90 * np.sin((x + shift) / 40)
    draw.line(list(zip(x.tolist(), y.tolist(), strict=True)), fill="navy", width=3)
    draw.text((180, 8), label, fill="black")
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def shown(**data):
    return v4.new_output("display_data", data={name.replace("_", "/"): value for name, value in data.items()})


@pytest.fixture
def notebook(tmp_path):
    """Write a notebook of code cells below a folder `notebooks`; returns its path."""

    def write(*cells):
        path = tmp_path / "notebooks" / "demo.ipynb"
        path.parent.mkdir(exist_ok=True)
        made = [v4.new_code_cell(cell, id=f"c{i}") if isinstance(cell, str) else cell for i, cell in enumerate(cells)]
        path.write_text(refresh.as_text(refresh.cleaned(v4.new_notebook(cells=made))), encoding="utf-8")
        return path

    return write


def test_refreshing_keeps_sources_and_ids_and_a_second_time_changes_nothing(notebook, capsys):
    raising = v4.new_code_cell("1 / 0", id="raises", metadata={"tags": ["raises-exception"], "collapsed": True})
    path = notebook("import ipywidgets\nprint('one')\nprint('two')\nipywidgets.IntSlider()", raising)
    assert refresh.main([str(path)]) == 0
    first = path.read_text(encoding="utf-8")
    cells = refresh.read(path).cells
    assert [cell.id for cell in cells] == ["c0", "raises"]
    assert [cell.execution_count for cell in cells] == [1, 2]
    assert cells[0].outputs[0].text == "one\ntwo\n"
    assert cells[1].metadata == {"tags": ["raises-exception"]}
    assert "widget-view" not in first and "iopub" not in first and first.endswith("}\n")
    assert refresh.main([str(path)]) == 0
    assert path.read_text(encoding="utf-8") == first
    path.write_text(first.replace('"two\\n"', '"three\\n"'), encoding="utf-8")
    assert refresh.main(["--check", str(path)]) == 1
    assert "demo.ipynb, cell 0 (c0, 'import ipywidgets')" in capsys.readouterr().out


def test_a_notebook_that_errors_is_named_and_left_as_it_was(notebook, capsys):
    path = notebook("print('fine')", "raise KeyError('planted')")
    before = path.read_bytes()
    assert refresh.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "demo.ipynb, cell 1 (c1, \"raise KeyError('planted')\"): KeyError: 'planted'" in capsys.readouterr().out


def test_another_picture_is_noticed_and_another_lettering_is_not():
    same = refresh.output_difference
    assert same(shown(image_png=picture()), shown(image_png=picture(label="weight s"))) == ""
    assert same(shown(image_png=picture()), shown(image_png=picture(width=408))) == ""
    assert "picture changed" in same(shown(image_png=picture()), shown(image_png=picture(shift=8)))
    assert "picture measures" in same(shown(image_png=picture()), shown(image_png=picture(width=500)))


def test_pixels_of_a_measured_cell_may_change_and_its_words_may_not():
    def cell(pixels, alt="Seconds.", tags=("measured",)):
        output = shown(text_html=f'<img alt="{alt}" src="data:image/png;base64,{pixels}">')
        return v4.new_code_cell("draw()", outputs=[output], metadata={"tags": list(tags)})

    assert refresh.difference(cell(picture()), cell(picture(shift=8))) == ""
    assert "executing gives" in refresh.difference(cell(picture()), cell(picture(), alt="Bytes."))
    assert "picture changed" in refresh.difference(cell(picture(), tags=()), cell(picture(shift=8), tags=()))


def test_pictures_inside_html_are_compared_by_pixels_and_their_words_exactly():
    def html(data, alt="Half sits on B."):
        return shown(text_html=f'<img alt="{alt}" src="data:image/png;base64,{data}"><p>0.5</p>')

    same = refresh.output_difference
    assert same(html(picture()), html(picture(label="weight s"))) == ""
    assert "picture changed" in same(html(picture()), html(picture(shift=8)))
    assert "executing gives" in same(html(picture()), html(picture(), alt="A third sits on B."))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (shown(text_plain="0.5"), shown(text_plain="0.6"), "text/plain has '0.5', executing gives '0.6'"),
        (shown(text_plain="0.5"), v4.new_output("stream", text="0.5"), "output is display_data"),
        (shown(text_plain="0.5"), shown(text_plain="0.5", text_html="0.5"), "output has ['text/plain']"),
    ],
)
def test_other_outputs_are_compared_exactly(old, new, reason):
    assert reason in refresh.output_difference(old, new)


def test_folders_of_one_machine_do_not_reach_git():
    text = f"File {refresh.ROOT}/helpers/attention.py:3, and /opt/x/lib/python3.11/site-packages/numpy/core.py:7"
    assert refresh.without_local_folders(text) == "File helpers/attention.py:3, and site-packages/numpy/core.py:7"
