"""What someone without a mouse, without colours or without sight meets: names, contrast, alternatives, focus order."""

from pathlib import Path

from .screenshots import grow_window

OUTPUTS = ".jp-OutputArea-output"

# Findings inside ipywidgets' own markup, which a lesson cannot change: rule, the one selector it may hit, and why.
# What a slider's handle lacks is repeated in text that everyone can read: `unnamed_sliders` checks that.
NOT_OURS = [
    ("aria-input-field-name", ".widget-slider .noUi-handle", "slider handles have no name: ipywidgets issue 2650"),
]

# Serious and critical findings of axe in the outputs, without those that NOT_OURS names for exactly that element. Colours
# cost nine tenths of its time, and most numbers of a page share theirs: of all texts of one colour and size on one
# background, axe measures the first.
# JupyterLab's body is 0 pixels high and hides what overflows it; axe then takes all text for hidden and measures no
# colour at all. So the body gets a height, and a run that measured no colour although there is text is itself a finding.
RUN_AXE = """async ([source, outputs, notOurs]) => {
  if (!window.axe) (0, eval)(source);
  const written = [...document.querySelectorAll(outputs)].some(output => output.innerText.trim());
  if (!written) return [];

  const under = element => {  // the backgrounds that a text stands on, down to the first that hides the rest
    const {backgroundColor, backgroundImage, opacity, filter} = getComputedStyle(element);
    const here = [backgroundColor, backgroundImage, opacity, filter].join();
    const hides = !backgroundColor.match(/^rgba|\\/|transparent/) && opacity === '1';
    return hides || !element.parentElement ? here : here + under(element.parentElement);
  };
  const looks = new Map();
  for (const element of document.querySelectorAll(`:is(${outputs}) *`)) {
    if (![...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
    if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const {color, fontSize, fontWeight} = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, element.localName, under(element)].join();
    if (!looks.has(look)) looks.set(look, element);
  }

  document.body.style.height = '100vh';
  const run = (include, rules) => axe.run({include}, {resultTypes: ['violations', 'incomplete'], ...rules});
  const shape = await run([[outputs]], {rules: {'color-contrast': {enabled: false}}});
  const colour = await run([...looks.values()], {runOnly: ['color-contrast']});
  document.body.style.height = '';
  if (!colour.violations.length && !colour.passes.length) return ['axe measured no colour'];
  // Text in exactly the colour of its background is for axe not a violation but a question.
  const invisible = colour.incomplete.map(rule =>
    ({...rule, nodes: rule.nodes.filter(node => node.any[0]?.data?.messageKey === 'equalRatio')}));
  const all = [...shape.violations, ...colour.violations, ...invisible];
  return all.filter(found => ['serious', 'critical'].includes(found.impact)).flatMap(found =>
    found.nodes.filter(node => {
      const element = document.querySelector(node.target.at(-1));
      return !notOurs.some(([rule, selector]) => rule === found.id && element?.matches(selector));
    }).map(node => `${found.id}: ${node.html.slice(0, 160)} (${(node.any[0] ?? node.all[0] ?? node.none[0])?.message
                                                              ?? found.help})`));
}"""

# Pictures without a sentence as text alternative, tables without caption or scoped headers.
UNTOLD = """outputs => {
  const panel = document.querySelector('.jp-NotebookPanel'), found = [];
  const isSentence = text => /^\\S+(\\s+\\S+){2,}[.?!]$/.test((text ?? '').trim());
  for (const picture of panel.querySelectorAll(`.jp-RenderedMarkdown img, ${outputs} :is(img, canvas)`)) {
    const text = picture.matches('img') ? picture.alt : picture.ariaLabel;
    if (!isSentence(text)) found.push(`${picture.localName}: its text alternative is no sentence: '${text ?? ''}'`);
  }
  for (const table of panel.querySelectorAll(`${outputs} table`)) {
    const caption = table.querySelector('caption')?.textContent.trim(), heads = [...table.querySelectorAll('th')];
    const name = caption || table.textContent.trim().slice(0, 40);
    if (!caption) found.push(`table '${name}' has no caption`);
    if (!heads.length) found.push(`table '${name}' has no headers`);
    if (heads.some(head => !head.scope)) found.push(`table '${name}' has headers without scope`);
  }
  return found;
}"""

UNNAMED_SLIDERS = """outputs => [...document.querySelectorAll(`.jp-NotebookPanel ${outputs} .widget-slider`)]
  .filter(slider => slider.checkVisibility()).flatMap(slider => {
    const seen = part => { const element = slider.querySelector(part);
                           return element?.checkVisibility() ? element.textContent.trim() : ''; };
    const name = seen('.widget-label'), value = seen('.widget-readout');
    return [...(name ? [] : ['a slider shows no name']), ...(value ? [] : [`slider '${name}' shows no value`])];
  })"""


def axe_source():
    """The rules of axe-core, which the Python package carries: nothing is fetched."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def findings(notebook, theme):
    """Serious findings of axe in a theme, with the whole notebook in the window so that no colour is out of sight."""
    notebook.set_theme(theme)
    grow_window(notebook.page)
    found = notebook.page.evaluate(RUN_AXE, [axe_source(), OUTPUTS, [list(allowed[:2]) for allowed in NOT_OURS]])
    notebook.page.set_viewport_size(notebook.window)  # painting a tall window after each key press takes half the time
    return found


def untold(notebook):
    """Pictures and tables that say nothing to someone who cannot see them."""
    return notebook.page.evaluate(UNTOLD, OUTPUTS)


def unnamed_sliders(notebook):
    """Sliders whose name or value is not repeated in visible text."""
    return notebook.page.evaluate(UNNAMED_SLIDERS, OUTPUTS)


def tab_order_trouble(box):
    """Controls that Tab does not reach, or reaches in another order than they stand in."""
    expected = [control for control in box.controls() if control.usable]
    if not expected:
        return []
    if not box.focus(expected[0]):
        return [f"{box.name}: Tab does not reach {expected[0]}"]
    visited = _tab_through(box, limit=4 * sum(control.targets for control in expected) + 10)
    names = {control.number: str(control) for control in expected}
    missing = [name for number, name in names.items() if number not in visited]
    if missing:
        return [f"{box.name}: Tab does not reach {name}" for name in missing]
    order = [number for number in visited if number in names]
    return [] if order == list(names) else [f"{box.name}: Tab visits {', '.join(names[number] for number in order)}"]


def _tab_through(box, limit):
    """Numbers of the controls that Tab visits, in order of the first visit, until it leaves the box."""
    visited = []
    where = "box => [box.contains(document.activeElement), document.activeElement.dataset.target ?? '']"
    for _ in range(limit):
        inside, target = box.page.evaluate(where, box.element)
        if not inside:
            break
        number = target.split(".")[0]
        visited += [number] if number and number not in visited else []
        box.page.keyboard.press("Tab")
    return visited
