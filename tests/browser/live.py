"""A lesson of the live site in a browser tab, driven as the ones in JupyterLab are."""

import contextlib

from tests.browser import lab

RUN_CELL = """async ([index, seconds]) => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.deselectAll();
  notebook.activeCellIndex = index;
  const late = new Promise(done => setTimeout(() => done(false), 1000 * seconds));
  const ended = await Promise.race([window.jupyterapp.commands.execute('notebook:run-cell').then(() => true), late]);
  const outputs = notebook.widgets[index].model.sharedModel.getOutputs();
  const printed = outputs.filter(out => out.output_type === 'stream').map(out => [out.text].flat().join('')).join('');
  return ended ? printed + outputs.filter(out => out.output_type === 'error').map(out => out.evalue).join('') : null;
}"""
READY = "() => window.jupyterapp.shell.currentWidget.context.ready.then(() => null)"
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.toJSON())"""
WRITE = """([index, source]) =>
  window.jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.setSource(source)"""


class LivePage(lab.NotebookPage):
    """As `NotebookPage`; `site` is the address of the pages."""

    def __init__(self, page, site):
        self.address, self.token = site.rstrip("/"), ""
        super().__init__(page, self)

    def open(self, address):
        """Open a lesson by its address and wait for its kernel; nothing is run yet."""
        return self.read(address).wait_for_kernel()

    def read(self, address):
        """Open a lesson by its address and wait for its text alone."""
        self.page.goto(f"{self.address}/{address}", timeout=60_000)
        return self.wait_for_text(address)

    def wait_for_text(self, path):
        self.path = path
        self.page.locator(".jp-NotebookPanel .jp-Notebook").wait_for(timeout=120_000)
        self.wait_for(READY, 120, "the text of the notebook")
        return self

    def wait_for_kernel(self):
        self.wait_for(lab.WATCH_KERNEL, 240, "a kernel for the notebook")
        return self

    def cells(self):
        """The cells as they stand now, as a notebook file holds them."""
        return self.page.evaluate(CELLS)

    def write(self, index, source):
        self.page.evaluate(WRITE, [index, source])

    def run(self, index, seconds=60):
        """What a cell prints, or the message of its error; None if it does not end."""
        return self.page.evaluate(RUN_CELL, [index, seconds])

    def run_each(self):
        """Run the cells one after the other, also after an error, and wait until all widgets are drawn."""
        for index, cell in enumerate(self.cells()):
            if cell["cell_type"] == "code" and self.run(index, 300) is None:
                raise RuntimeError(f"{self.path}: cell {index} did not end")
        with contextlib.suppress(lab._playwright_error()):  # what is missing then shows in the explorers
            self.page.wait_for_function(lab.ALL_DRAWN, timeout=15_000)
        return self
