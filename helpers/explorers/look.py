"""The look of an explorer on a page that runs: one quiet card in the colours of the theme."""

from helpers.matrices import NAMED

STYLE = (
    f".explorer, .predict {{ {NAMED} }}"
    + """
.explorer, .predict { border: 1px solid var(--jp-border-color2, #ddd); border-radius: 8px; padding: 10px 16px;
  background: var(--jp-layout-color0, #fff); color: var(--jp-content-font-color0, #000); overflow: visible; }
.explorer-row { display: flex; flex-flow: row wrap; gap: 4px 22px; overflow: visible; }
.explorer { container-type: inline-size; }
.explorer-controls { flex: 1 1 230px; max-width: 270px; min-width: 0; overflow: visible; }
.explorer-controls .explorer-row { gap: 4px; margin: 4px 0; }
.explorer-controls .widget-toggle-buttons button { margin: 2px 4px 2px 0; max-width: 100%; height: auto;
  padding: 5px 10px; line-height: 1.3; white-space: normal; }
.explorer-controls > .explorer-fold { align-self: flex-start; }
@container (max-width: 750px) { /* the controls stand above the picture: in two columns */
  .explorer-controls { max-width: none; flex-flow: row wrap; align-items: flex-start; gap: 0 16px; }
  .explorer-controls > * { flex: 0 1 260px; width: auto; }
  .explorer-controls > .explorer-fold { flex: none; } }
.explorer-line { flex: 1 1 100%; align-items: flex-end; margin-bottom: 6px; }
.explorer-line > .widget-inline-hbox { width: auto !important; min-width: 240px; }
.explorer-line > .widget-checkbox, .explorer-line > .widget-toggle-buttons { min-width: 0; }
.explorer-line > .widget-toggle-buttons { display: flex; align-items: baseline; width: auto !important; }
.explorer-line > * > .widget-label { width: auto !important; flex: none; margin-right: 10px; }
.explorer-line > .widget-toggle-buttons button { padding: 0 7px; margin: 2px 1px; }
.explorer-line .explorer-row { gap: 4px; }
.explorer-line > .widget-slider > .widget-label, .explorer-line > .widget-hslider > .widget-label { flex: 1 0 100%; }
.explorer-line > .widget-vbox { flex: 1 1 100%; }
.explorer-line > .widget-vbox .widget-toggle-buttons button { margin: 2px; }
.explorer-stage { position: relative; flex: 100 1 500px; min-width: 0; display: block; overflow: visible; }
.explorer-view, .explorer-view .widget-html-content { display: block; height: auto; margin: 0; padding: 0;
  line-height: 1.4; overflow: visible; }
.explorer-view img { display: block; }
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
  outline: 2px solid #2563eb; outline-offset: -2px; }
.explorer-sheet > div.touch:hover { outline: none; }
.explorer p { max-width: 58em; font-size: 13px; }
.explorer .widget-inline-hbox { max-width: calc(100% - 4px); }
.explorer .widget-checkbox { height: auto; }
.explorer .widget-checkbox .widget-label-basic { white-space: normal; line-height: 1.3; align-items: flex-start; }
.explorer .widget-label, .predict .widget-label { text-align: left; }
.explorer .widget-readout { width: auto; max-width: none; flex: none; }
.explorer .mod-active, .predict .mod-active { outline: 2px solid #2563eb; outline-offset: -2px; }
.predict .jupyter-button { margin: 2px; }
.explorer .compact .widget-label { position: absolute; width: 1px !important; max-width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
.explorer .explorer-fold { background: none; box-shadow: none; color: inherit; text-decoration: underline; padding: 0 4px; }
body[data-jp-theme-light="false"] img.figure { filter: invert(0.93) hue-rotate(180deg); }
:is(.explorer, .predict).jupyter-widgets-disconnected::after { content: "Asleep: the kernel was restarted or has stopped. "
  "Run > Run All Cells wakes it."; display: block; padding: 6px 10px; background: #fff4ce; color: #000; }
.jupyter-widgets-disconnected .jupyter-widgets-disconnected::before { content: none; }
"""
)
