// The picture of lesson 14 as rooms/let_it_write/explorers.py draws it, of what the model in web/writer.js computes.
"use strict";
(() => {
  const NUM_LETTERS = 72, LONGEST = 120, BARS = 5, LONG = 220, NUM_TRIES = 20, SHADES = 60, DEEPEST = 0.34, CELL = 7.6;
  const LINES = [[33, 24, 52, 34], [21, 16, 38, 23]], STRIPS = [[9, 3], [17, 4]], MONO = "var(--jp-code-font-family,monospace)";
  const [WIDTH, NARROW] = LINES.map(([perLine, cell]) => perLine * cell + 8);

  const percent = share => `${(100 * share).toFixed(0)}%`;
  const named = letter => letter === " " ? "space" : letter, quoted = letter => letter === " " ? "the space" : `“${letter}”`;

  // (column, row) of every letter: a word that does not fit begins the next line.
  const wrapped = (text, perLine) => {
    const places = [];
    let column = 0, row = 0;
    for (const [word] of text.matchAll(/\S+ ?|\S* /g)) {
      if (column && column + word.length > perLine) { column = 0; row++; }
      for (const _ of word) { places.push([column % perLine, row + Math.floor(column / perLine)]); column++; }
    }
    return places;
  };

  // The markup of workbench/pictures/svg.py.
  class Drawing {
    constructor(player, width, height) {
      this.colours = player.colours ??= new Map([...player.html(0).matchAll(/var\(--(\w+),#\w+\)/g)].map(([css, name]) => [name, css]));
      Object.assign(this, {player, width, height, parts: [], sizes: []});
    }
    word(value) { return typeof value === "string" ? this.colours.get(value) ?? value : +value.toFixed(2) + 0; }
    add(tag, attributes, inside = "") {
      const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${this.word(value)}"`).join("");
      this.parts.push(`<${tag}${written}>${inside}</${tag}>`);
    }
    words(x, y, words, {size = 14, colour = "ink", anchor = "middle", ...more} = {}) {
      this.sizes.push(size);
      this.add("text", {x, y, fill: colour, "font-size": size, "text-anchor": anchor, ...more}, words);
    }
    touched(name, index, title, steps, box) {
      const set = this.player.data.sets.push(steps) - 1, at = [`at-${name}`, ...index.map((k, i) => "rc"[i] + k)];
      this.add("rect", {fill: "transparent", ...box, class: `touch ${at.join(" ")}`, "data-set": set, id: at.join(".")}, `<title>${title}</title>`);
    }
    html(said) {
      const {width, height} = this, least = Math.min(width, 10 / Math.min(...this.sizes) * width);
      return `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" aria-label="${said}" width="${width}" height="${height}" `
        + `viewBox="0 0 ${width} ${height}" style="--legible:${least.toFixed(0)}px;display:block;max-width:100%;height:auto;`
        + `font-family:var(--jp-ui-font-family,system-ui,sans-serif);background:${this.colours.get("paper")};">${this.parts.join("")}</svg>`;
    }
  }

  const byWidth = (wide, narrow) => `<div style="margin-bottom:10px;"><div class="only-wide">${wide}</div><div class="only-narrow">${narrow}</div></div>`;

  // The text, its beginning muted; where a head is chosen, the shade behind a letter is as strong as its weight.
  const inLines = (player, now, [perLine, cell, line, size]) => {
    const {text, start, at, row, head, draw} = now, places = wrapped(text, perLine), first = at - row.length;
    const foot = (places.at(-1)[1] + 1) * line + 2, drawing = new Drawing(player, perLine * cell + 8, foot + 34);
    [...text].forEach((letter, k) => {
      const x = 4 + places[k][0] * cell, y = 2 + places[k][1] * line, box = {x, y, width: cell, height: line - 6};
      if (head && first <= k && k < at) drawing.add("rect", {...box, fill: "ink", "fill-opacity": DEEPEST * row[k - first]});
      if (k === at) drawing.add("rect", {fill: "none", stroke: "chosen", "stroke-width": 2, rx: 3, ...box});
      const colour = k === at - 1 ? "query" : k < start ? "muted" : "ink";
      drawing.words(x + cell / 2, y + size, letter, {colour, size, "font-family": MONO});
      const title = `click: how it was drawn, and where the heads looked${k === at ? ", chosen" : ""}`;
      if (k >= start) drawing.touched("text", [k - start], title, [5, k - start], box);
    });
    const button = {x: 4, y: foot, width: 84, height: 30};
    drawing.add("rect", {...button, rx: 6, fill: "chosen"});
    drawing.words(46, foot + 20, "again", {colour: "paper", "font-weight": 700});
    drawing.touched("again", [0], "click: another try", [4, draw % NUM_TRIES], button);
    return drawing.html(`${text.slice(0, start)}| ${text.slice(start)}`);
  };

  // How likely the likeliest letters are now, and at temperature 1; the drawn one is marked. Returns which they are.
  const bars = (drawing, now, left = 98) => {
    const {letters, shares, plain} = now, drawn = letters.indexOf(now.text[now.at]);
    const order = plain.map((_, k) => k).sort((a, b) => plain[b] - plain[a] || a - b).slice(0, BARS);
    if (!order.includes(drawn)) order[BARS - 1] = drawn;
    const longest = Math.max(0.3, ...shares, ...plain);
    drawing.words(left, 14, "next letter (thin lines: at temperature 1)", {size: 12, colour: "muted", anchor: "start"});
    order.forEach((k, row) => {
      const y = 22 + 19 * row, colour = k === drawn ? "chosen" : "ink", [length, thin] = [shares, plain].map(each => LONG * each[k] / longest);
      const bold = k === drawn ? {"font-weight": 700} : {}, words = shares[k] ? percent(shares[k]) : "never";
      drawing.words(left - 50, y + 13, named(letters[k]), {colour, anchor: "end", ...bold});
      drawing.words(left - 8, y + 13, words, {size: 12, colour: shares[k] ? colour : "muted", anchor: "end", ...bold});
      drawing.add("rect", {x: left, y: y + 2, width: Math.max(length, 0.5), height: 13, rx: 2, fill: colour, "fill-opacity": 0.75});
      drawing.add("line", {x1: left + thin, y1: y, x2: left + thin, y2: y + 17, stroke: "muted", "stroke-width": 1.5});
      if (thin < length) drawing.add("line", {x1: left + thin, y1: y + 2, x2: left + thin, y2: y + 15, stroke: "paper", "stroke-width": 2});
    });
    return order;
  };

  // A strip for each head: how dark a letter is says how much it was looked at. Where not all letters fit, the last ones are shown.
  const heads = (drawing, now, right, top, [height, gap]) => {
    const {text, at} = now, looked = now.looked.map(row => row.slice(-Math.floor((right - 40) / CELL)));
    const count = looked[0].length, left = right - count * CELL, chosen = now.head - 1;
    const told = `where each head looked${count < now.row.length ? `, last ${count} letters` : ""}`;
    drawing.words(top ? left : right, top + 14, told, {size: 12, colour: "muted", anchor: top ? "start" : "end"});
    [...text.slice(at - count, at)].forEach((letter, k) => {
      const colour = k === count - 1 ? "query" : "ink";
      drawing.words(left + (k + 0.5) * CELL, top + 36, letter, {size: 12, colour, "font-family": MONO});
    });
    looked.forEach((weights, k) => {
      const [i, j] = [k >> 2, k & 3], y = top + 42 + k * (height + gap), frame = {x: left, y, width: count * CELL, height};
      for (const [theme, number] of [["light", 0], ["dark", 1]]) {
        const href = drawing.player.map(weights.map(weight => Math.round(SHADES * weight)), count, number);
        drawing.add("image", {href, class: `only-${theme}`, ...frame, preserveAspectRatio: "none", style: "image-rendering:pixelated;"});
      }
      drawing.add("rect", {fill: "none", stroke: k === chosen ? "chosen" : "line", "stroke-width": k === chosen ? 2 : 0.7, ...frame});
      drawing.words(left - 8, y + height / 2 + 4.5, `${i}.${j}`, {size: 12, colour: k === chosen ? "chosen" : "muted", anchor: "end"});
      const title = k === chosen ? "click: all heads" : `click: head ${i}.${j} above`;
      drawing.touched("heads", [i, j], title, [3, k === chosen ? 0 : k + 1], {...frame, x: left - 32, width: count * CELL + 32});
    });
  };

  // Left the likeliest letters, right where each head looked; on a phone below them.
  const barsAndHeads = (player, now) => {
    const below = 22 + 19 * BARS + 8, [card, hand] = STRIPS.map(([height, gap]) => 46 + 8 * (height + gap));
    const wide = new Drawing(player, WIDTH, Math.max(below, card)), narrow = new Drawing(player, NARROW, below + hand);
    const order = bars(wide, now);
    bars(narrow, now);
    heads(wide, now, WIDTH - 8, 0, STRIPS[0]);
    heads(narrow, now, Math.min(60 + CELL * now.looked[0].length, NARROW - 8), below, STRIPS[1]);
    const told = order.map(k => `${named(now.letters[k])} ${now.shares[k].toFixed(2)}`).join(", ");
    return byWidth(...[wide, narrow].map(each => each.html(`The next letter, by probability: ${told}. Thin lines: at temperature 1.`)));
  };

  const described = ({text, at, row, shares, letters, head}) => {
    const back = row.length - row.indexOf(Math.max(...row)), which = `Head ${head - 1 >> 2}.${head - 1 & 3} looked`;
    return `After “…${text.slice(Math.max(at - 12, 0), at)}” it drew ${quoted(text[at])}, which had a probability of `
      + `${percent(shares[letters.indexOf(text[at])])}. ${head ? which : "On average its eight heads looked"} most at `
      + `${quoted(text[at - back])}, ${back === 1 ? "right before it" : `${back} letters back`}.`;
  };

  // Texts of the last settings, kept while a letter or a head is chosen.
  const written = new Map();
  const write = (model, beginning, temperature, topP, draw) => {
    const key = [beginning, temperature, topP, draw].join("|"), randoms = model.randoms(draw);
    if (written.has(key)) return written.get(key);
    let text = beginning;
    for (let k = 0; k < NUM_LETTERS; k++) text += model.next(text, temperature, topP, randoms.next().value).letter;
    if (written.size > 64) written.clear();
    written.set(key, text);
    return text;
  };

  // What the card shows where its controls stand so: beginning, temperature, top-p, head (0: all), another try, letter.
  window.computed = (player, [typed, stop, topP, head, draw, place]) => {
    const model = window.letterModel, beginning = model.plain(typed).slice(-LONGEST), temperature = +player.wordsOfChoice(1)[stop];
    if (!beginning) return {refused: "beginning must hold at least one letter: the model goes on, it does not start. The last good picture stays."};
    const text = write(model, beginning, temperature, topP, draw), start = beginning.length, at = start + place - 1;
    const {logits, looked} = model.read(text.slice(0, at).slice(-model.context)), row = head ? looked[head - 1] : model.mean(looked);
    const shares = model.probabilities(logits, temperature, topP), plain = model.probabilities(logits);
    const now = {text, start, at, looked, row, head, draw, shares, plain, letters: model.letters};
    player.data.sets.length = player.numSets ??= player.data.sets.length;
    const picture = byWidth(...LINES.map(how => inLines(player, now, how))) + barsAndHeads(player, now);
    return {markup: `${picture}<p style="margin:6px 0;line-height:1.4;">${described(now)}</p>`};
  };
})();
