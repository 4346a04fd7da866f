"""The look of an explorer on a page that runs: one quiet card in the colours of the theme."""

from workbench.matrices import NAMED
from workbench.pictures import colours

PROSE = """
.jp-MarkdownOutput > :is(p, ul, ol, blockquote), .jp-MarkdownOutput details > :not(pre, table, details) { max-width: 68ch; }
.jp-MarkdownOutput :is(p, li, summary), .jp-MarkdownOutput { font-size: 16px; line-height: 1.6; }
.jp-MarkdownOutput table { font-size: 14px; margin-left: 0; }
.jp-MarkdownOutput.jp-RenderedHTMLCommon pre { font-size: 13px; } /* as in a cell: its lines keep their indents */
.jp-MarkdownOutput.jp-RenderedHTMLCommon pre:not(:last-child) { margin-bottom: 1em; }
@media (min-width: 700px) { .jp-MarkdownOutput.jp-RenderedHTMLCommon :is(p, li) > code { white-space: nowrap; } }
.jp-MarkdownOutput details { margin: 0 0 0.8em; }
.jp-MarkdownOutput summary { color: var(--muted); cursor: pointer; }
.jp-RenderedHTML table[style] tbody tr { background: none !important; } /* its rows have shades of their own */
.only-dark { display: none; }
.only-narrow { display: none; }
@container (max-width: 520px) { .only-wide { display: none; } .only-narrow { display: block; } .photo { width: 130px; } }
body[data-jp-theme-light="false"] .only-light, html[data-theme="dark"] .only-light { display: none; }
body[data-jp-theme-light="false"] .only-dark, html[data-theme="dark"] .only-dark { display: inline; }
body[data-jp-theme-light="false"] { --jp-mirror-editor-comment-color: #7fb0b0; } /* JupyterLab's own is hard to read there */
/* a picture that JupyterLab keeps as an image has the colours of a light page; a photograph has its own */
body[data-jp-theme-light="false"] .jp-RenderedHTML img[src^="data:image/svg+xml"]:not(.photo) { filter: invert(0.93) hue-rotate(180deg); }
"""
CARD = (
    PROSE
    + f".explorer, .predict {{ {NAMED} }}"
    + """
.explorer, .predict { border: 1px solid var(--jp-border-color2, #ddd); border-radius: 10px; padding: 8px 20px;
  background: var(--jp-layout-color0, #fff); color: var(--jp-content-font-color0, #000); overflow: visible; }
.explorer { container-type: inline-size; }
.explorer-row { display: flex; flex-flow: row wrap; gap: 6px 26px; overflow: visible; }
.explorer-row .explorer-row { gap: 6px; }
.explorer-controls { flex: 1 1 240px; max-width: 280px; min-width: 0; overflow: visible; }
.explorer-line { flex: 1 1 100%; align-items: center; margin-bottom: 4px; }
.explorer-line > .widget-hslider, .explorer-line > .widget-text { flex: 1 1 auto; width: auto !important; max-width: min(560px, 100%); }
.explorer-line > .widget-text { flex-basis: 260px; }
.explorer-line > .widget-toggle-buttons, .explorer-line > .widget-checkbox { flex: 0 1 auto; width: auto !important; min-width: 0; }
.explorer-line > .explorer-row { margin-left: auto; }
.explorer-row > .explorer-line { gap: 6px 22px; } /* a value belongs to the label on its left */
@container (max-width: 750px) { /* the controls stand above the picture: in two columns */
  .explorer-controls { max-width: none; flex-flow: row wrap; align-items: flex-start; gap: 0 16px; }
  .explorer-controls > * { flex: 0 1 260px; width: auto; } }
/* one line: label, slider, value */
.explorer :is(.widget-hslider, .widget-toggle-buttons, .widget-dropdown, .widget-text) { display: flex; flex-flow: row wrap;
  align-items: center; height: auto; gap: 0 10px; margin: 1px 0; min-width: 0; }
.explorer .widget-label { width: auto !important; max-width: 100%; flex: none; text-align: left; margin: 0;
  color: var(--muted); font-size: 13px; }
.explorer .widget-hslider .slider-container { flex: 1 1 70px; margin: 0 8px; }
.explorer-line .widget-hslider .slider-container { flex-basis: 84px; min-width: 84px; }
.explorer .widget-readout { width: auto; min-width: 3.2em; max-width: none; flex: none; margin: 0; font-variant-numeric: tabular-nums; }
.explorer .widget-toggle-buttons > .widget-toggle-buttons, .explorer .widget-toggle-buttons { white-space: normal; }
.explorer .widget-dropdown { flex-wrap: nowrap; }
.explorer .widget-dropdown > select { flex: 0 1 auto; min-width: 0; height: 28px; padding: 0 6px; border: 1px solid var(--line);
  border-radius: 6px; appearance: auto; background: var(--paper); color: inherit; font-size: 13px; }
.predict .widget-label { text-align: left; }
.jp-Cell:has(.guess-waits) + .jp-Cell .jp-Cell-outputArea > * { visibility: hidden; }
.jp-Cell:has(.guess-waits) + .jp-Cell .jp-Cell-outputArea { position: relative; height: 2.6em; overflow: hidden; }
.jp-Cell:has(.guess-waits) + .jp-Cell .jp-Cell-outputArea::before { content: "Covered until you have chosen an answer above.";
  position: absolute; inset: 0 0 0 var(--jp-cell-prompt-width, 0); padding: 8px 20px; border: 1px dashed var(--line);
  border-radius: 10px; color: var(--muted); font-size: 13px; }
.explorer .jupyter-button, .predict .jupyter-button { border: 1px solid var(--line); border-radius: 6px; background: transparent;
  color: inherit; box-shadow: none; height: auto; max-width: 100%; padding: 3px 10px; margin: 2px 4px 2px 0; font-size: 13px;
  line-height: 1.4; white-space: normal; }
.explorer .jupyter-button:hover, .predict .jupyter-button:hover { border-color: var(--chosen); box-shadow: none; }
.explorer .mod-active, .predict .mod-active, .player button[aria-pressed="true"] { background: var(--ink) !important;
  border-color: var(--ink) !important; color: var(--paper) !important; }
/* options are segments that are joined; what leads to a state is text; a command alone is a filled button */
.explorer :is(.widget-toggle-buttons .jupyter-button, .player-choice button) { border-radius: 0; margin: 2px 0 2px -1px; }
.explorer :is(.widget-toggle-buttons .jupyter-button, .player-choice button):first-child { border-radius: 6px 0 0 6px; margin-left: 0; }
.explorer :is(.widget-toggle-buttons .jupyter-button, .player-choice button):last-child { border-radius: 0 6px 6px 0; }
.explorer :is(.widget-toggle-buttons .jupyter-button, .player-choice button):only-child { border-radius: 6px; }
.explorer .explorer-row .explorer-row > :is(.jupyter-button, button) { border-color: transparent; padding: 2px 2px;
  text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: 3px; }
.explorer .explorer-row .explorer-row > :is(.jupyter-button, button)::before { content: "↺"; display: inline-block; margin-right: 2px;
  color: var(--muted); }
.explorer .explorer-row .explorer-row > :is(.jupyter-button, button):hover { text-decoration-color: currentColor; border-color: transparent; }
.explorer .explorer-row .explorer-row > .explorer-command { background: var(--ink); color: var(--paper); border-color: var(--ink);
  padding: 3px 12px; text-decoration: none; }
.explorer .explorer-row .explorer-row > .explorer-command::before { content: none; }
@media (forced-colors: active) { /* the reader's own colours: what is chosen, shaded or masked stays so */
  .explorer .mod-active, .predict .mod-active, .player button[aria-pressed="true"] { forced-color-adjust: none;
    background: Highlight !important; border-color: Highlight !important; color: HighlightText !important; }
  .explorer .explorer-row .explorer-row > .explorer-command { forced-color-adjust: none; background: ButtonText; color: ButtonFace;
    border-color: ButtonText; }
  .explorer, .predict, [style*="--p:"] { --p: Canvas !important; --i: CanvasText !important; }
  .explorer-view, .output [style*="--p:"] { forced-color-adjust: none; color: CanvasText; } }
.explorer-foot { justify-content: flex-end; gap: 18px; margin-top: -24px; pointer-events: none; position: relative; z-index: 1; }
.explorer-foot > * { pointer-events: auto; }
.explorer-view p:last-child { max-width: min(62em, calc(100% - var(--foot, 190px))); min-height: 20px; } /* the foot stands beside it */
@container (max-width: 520px) { /* the foot stands under it */
  .explorer-foot { margin-top: 0; } .explorer-view p:last-child { max-width: none; }
  .explorer-line > .explorer-row { margin-left: 0; } }
.explorer .explorer-foot .jupyter-button { border: none; padding: 0; margin: 0; font-size: 12px; color: var(--muted); }
.explorer .explorer-foot .jupyter-button:hover, .explorer .explorer-foot .mod-active { text-decoration: underline;
  background: none !important; color: var(--muted) !important; }
.explorer-folded { margin-top: 8px; }
.explorer-folded > * { max-width: 560px; }
.explorer-stage { position: relative; flex: 100 1 500px; min-width: 0; display: block; overflow: visible; }
.explorer-view, .explorer-view .widget-html-content { display: block; height: auto; margin: 0; padding: 0;
  line-height: 1.4; overflow: visible; }
/* what is narrower than its card stands in its middle; where the hand moves in it, a sheet lies over it from the left edge on */
.explorer-stage:not(:has(.explorer-surface)) .explorer-view :is(.drawing, table) { margin-inline: auto !important; }
.explorer-stage:not(:has(.explorer-surface)) .explorer-view div[style^="display:flex"] { justify-content: safe center; }
.explorer-view img { display: block; }
.drawing { user-select: text; background: none !important; }
.explorer th[scope="row"] { white-space: nowrap; } /* its mark stands beside its name */
.explorer-view thead tr { height: 22px; } /* a head of no words is as high as the others beside it */
.explorer-view > .widget-html-content > [style^="margin-bottom"] { margin-bottom: 3px !important; }
.explorer-surface { position: absolute; left: 0; top: 0; width: 100%; height: 0; margin: 0; overflow: visible;
  pointer-events: none; }
.explorer-surface .widget-html-content { display: block; width: 100%; padding: 0; margin: 0; height: 0; overflow: visible; }
.explorer-sheet { position: relative; max-width: 100%; }
.explorer-sheet > div { position: absolute; pointer-events: auto; touch-action: none; }
.explorer .touch { cursor: pointer; }
.explorer .drag { cursor: grab; user-select: none; }
.explorer .drag:active { cursor: grabbing; }
.explorer .touch *, .explorer .drag * { pointer-events: none; }
.explorer td.touch:hover, .explorer th.touch:hover, .explorer span.touch:hover, .explorer div.touch:hover {
  outline: 2px solid var(--chosen); outline-offset: -2px; }
.drawing .touch:hover { stroke: var(--chosen); stroke-width: 2; }
.explorer-sheet > div.touch:hover { outline: none; }
.explorer p { max-width: 62em; font-size: 14px; margin: 3px 0 !important; }
.explorer .widget-inline-hbox { max-width: calc(100% - 4px); }
.explorer .widget-checkbox { height: auto; }
.explorer .widget-checkbox .widget-label-basic { white-space: normal; line-height: 1.3; align-items: flex-start; }
.explorer .compact .widget-label { position: absolute; width: 1px !important; max-width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
.explorer.asleep::after, :is(.explorer, .predict).jupyter-widgets-disconnected::after { content: "Asleep: the kernel was restarted or has stopped. "
  "Run > Run All Cells wakes it."; display: block; padding: 6px 10px; background: #fff4ce; color: #000; }
.predict .predict-skip.jupyter-button { border: none; padding: 0; font-size: 12px; color: var(--muted); }
.predict .predict-skip.jupyter-button:hover { text-decoration: underline; }
.jupyter-widgets-disconnected .jupyter-widgets-disconnected::before { content: none; }
"""
)


def style():
    """All rules of style of a page with explorers, in the colours that are known when it is asked for."""
    return colours.variables() + CARD
