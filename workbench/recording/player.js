// Plays what workbench/recording recorded: native controls, touches and drags lead from one recorded state to another.
"use strict";
(() => {
  const SIDE = 16, ACROSS = 64, SAME = 90;  // as in tiles.py and maps.py
  const waiting = {};
  window.playRecording = (name, data) => { for (const box of waiting[name] ?? []) new Player(box, data); delete waiting[name]; };

  // A list of numbers that may be written as what differs from another one.
  const unfold = (lists, k) => {
    const [base, ...rest] = lists[k];
    if (base < 0) return rest;
    const whole = lists[base].slice(1);
    for (let i = 0; i < rest.length; i += 2) whole[rest[i]] = rest[i + 1];
    return whole;
  };

  // The numbers that columns.py may have written as letters.
  const numberAt = (list, i) => {
    if (typeof list !== "string") return list[i];
    const letter = list.charCodeAt(i);
    return letter - 35 - (letter > 92 ? 1 : 0);
  };

  // Words again, of what columns.py has written by their templates.
  const wordsOf = written => written.flatMap(each => {
    if (typeof each === "string") return each;
    const [[first, ...parts], columns] = each;
    return Array.from(columns[0][1], (_, j) => first + columns.map(([values, at], i) => values[numberAt(at, j)] + parts[i]).join(""));
  });

  // The shades of a map, which maps.py may have written by those of another one.
  const shadesOf = (maps, k) => {
    const [columns, , own, base, side] = maps[k], across = columns / side;
    const shades = side ? null : Array.from(own, (_, i) => numberAt(own, i));
    if (base === undefined) return shades;
    const before = shadesOf(maps, base);
    if (!side) return shades.map((shade, i) => shade === SAME ? before[i] : shade);
    return before.map((_, i) => {
      const x = i % columns, y = Math.floor(i / columns), square = own[Math.floor(y / side) * across + Math.floor(x / side)];
      return before[(Math.floor(square / across) * side + y % side) * columns + square % across * side + x % side];
    });
  };

  // A map of shades as a picture, one pixel for each number.
  const mapOf = (columns, shades, colours) => {
    const canvas = Object.assign(document.createElement("canvas"), {width: columns, height: shades.length / columns});
    const pen = canvas.getContext("2d"), pixels = pen.createImageData(canvas.width, canvas.height);
    for (let i = 0; i < shades.length; i++) {
      const at = 6 * numberAt(shades, i);
      for (let c = 0; c < 3; c++) pixels.data[4 * i + c] = parseInt(colours.slice(at + 2 * c, at + 2 * c + 2), 16);
      pixels.data[4 * i + 3] = 255;
    }
    pen.putImageData(pixels, 0, 0);
    return canvas.toDataURL();
  };

  // Whether two texts mean the same number: 3/7, 0.4286 and 0.43 do; a decimal number may be rounded, to two decimals or more.
  const number = text => {
    const written = text.trim().replaceAll("−", "-").replaceAll(",", ".");
    const mixed = written.match(/^([+-]?)(\d+) +(\d+) *\/ *(\d+)$/);  // 3 5/11
    const plain = mixed ? `${mixed[1]}${mixed[2] * mixed[4] + Number(mixed[3])}/${mixed[4]}`
      : written.replace(/(?<!\d) +| +(?!\d)/g, "");  // 3 5 is no 35
    const [, above, below] = plain.match(/^([+-]?(?:\d+\.?\d*|\.\d+))(?:\/(\d+))?$/) ?? [];
    return {value: above === undefined ? NaN : above / (below ?? 1), places: plain.split(".")[1]?.length ?? 0};
  };
  const same = (text, recorded) => {
    if (!text || !recorded) return text === recorded;
    const one = number(text), other = number(recorded);
    const slack = one.places >= 2 ? 0.5 * 10 ** -one.places : 0;
    const rounded = recorded.includes(".") ? 0.0005 : 0;  // to three decimals
    return Math.abs(one.value - other.value) <= Math.max(slack, rounded) + 1e-9;
  };

  // Scripts, one after the other, each of them once.
  const fetched = {};
  const fetchAll = scripts => scripts.reduce((before, src) => before.then(() => fetched[src] ??= new Promise((done, failed) => {
    document.head.append(Object.assign(document.createElement("script"), {src, onload: done, onerror: () => { delete fetched[src]; failed(src); }}));
  })), Promise.resolve());

  const load = async (picture, k) => {
    const sheet = new Image();
    if (picture) {
      sheet.src = `data:image/${k ? "jpeg" : "webp"};base64,${picture}`;
      await sheet.decode();
    }
    return sheet;
  };

  class Player {
    constructor(box, data) {
      Object.assign(this, {box, data, view: box.querySelector(".explorer-view"), said: box.querySelector(".player-said")});
      this.now = 0;  // the first state is the start
      this.words = wordsOf(data.words);
      this.drawn = new Map();  // maps as pictures
      const met = [];
      this.rows = data.frames[0].map(group => met[group] = (met[group] ?? -1) + 1);
      this.fields = [...box.querySelectorAll("[data-control]")].map(root => this.field(root));
      this.buttons = [...box.querySelectorAll("[data-button]")].map(button => {
        const text = button.dataset.button, other = data.others.indexOf(text);
        const steps = () => data.buttons[text] ?? data.sets[data.presses[this.now]?.[other]] ?? [];
        button.onclick = () => this.go(steps());
        return {button, steps};
      });
      this.widths = data.values.map((column, k) =>  // of numbers; 0 of what is merely chosen
        data.controls[k] && typeof column[0] === "number" ? column.at(-1) - column[0] : 0);
      this.also = new Map(data.also.map(([k, place, steps]) => [`${k}:${place}`, steps]));
      this.listen();
      box.player = this;
      Promise.all(data.sheets.map(load)).then(sheets => { this.sheets = sheets; box.classList.add("ready"); this.draw(); this.fit(); });
    }

    // On a phone a card stays within the screen while its words can be read. A picture gets smaller as long as no letter is lower than
    // 10 pixels; then the options of a choice, and the presets, stand in one line each; what is still too high is scrolled over its
    // sentence. What is too wide is scrolled, too, and the sheet that the hand touches with it.
    fit() {
      if (innerWidth > 620) return;
      const {box} = this, stage = box.querySelector(".explorer-stage"), sheet = stage.querySelector(".explorer-surface");
      const most = 0.96 * innerHeight, fits = () => box.offsetHeight <= most;
      const words = [...stage.querySelectorAll("svg text")].filter(each => each.checkVisibility());
      const heights = words.map(each => Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b) * each.getAttribute("font-size"));
      const least = 10 / Math.min(13, ...heights); // a table has letters of 13 pixels; smaller ones keep their size (player.css)
      for (const zoom of [1, 0.95, 0.9, 0.85, 0.8, 0.77]) {
        if (zoom < least) break;
        stage.style.setProperty("--zoom", zoom);
        if (fits() && ![stage, ...stage.querySelectorAll("div")].some(each => each.scrollWidth > each.clientWidth + 1)) break;
      }
      box.classList.toggle("in-lines", !fits());
      if (!fits()) {
        stage.style.setProperty("--room", "0px");
        stage.style.setProperty("--room", `${most - box.offsetHeight}px`);
      }
      const picture = stage.querySelector("svg.drawing:not(.only-wide *)");
      if (sheet && picture)
        for (const each of sheet.querySelectorAll(".explorer-sheet")) each.style.minWidth = getComputedStyle(picture).minWidth;
    }

    get state() { return this.data.states[this.now]; }
    get look() { return this.data.look[this.data.looks[this.now] ?? 0]; }
    wordsOfChoice(k) { return new Map(this.look[1]).get(k); }

    // ---------------------------------------------------------------------------------------------------- where to go

    // Steps: control, place in its values, control, place, … The recorded state that has them, or comes nearest.
    go(steps) {
      if (!steps.length) return;
      if (this.data.computed) { this.compute(steps); return; }
      const begun = performance.now(), target = this.target(steps);
      if (target !== this.now || target !== this.seen) { this.now = target; this.draw(); } else this.settle();
      this.took = performance.now() - begun;
    }

    // Where a page computes, the start alone was recorded. What is asked for is state 1, and its picture comes from scripts that are
    // fetched with the first touch.
    async compute(steps) {
      const {data, box} = this, told = box.querySelector(".player-told");
      if (!window.computed) told.textContent = "The model is on its way.";
      try { await fetchAll(data.computed); } catch { told.textContent = "The model could not be fetched. Is there a network?"; return; }
      const there = [...this.state];
      for (let i = 0; i < steps.length; i += 2) there[steps[i]] = steps[i + 1];
      const {markup, refused} = window.computed(this, there.map((place, k) => data.values[k][place]));
      if (refused) { told.textContent = refused; return; }
      this.markup = markup;
      this.now = String(there) === String(data.states[0]) ? 0 : 1;
      if (this.now) data.states[1] = there;
      this.draw();
      this.fit();
    }

    // A row of shades as the address of a picture, in the light theme's colours or the dark one's, 0 or 1.
    map(shades, columns, theme) { return mapOf(columns, shades, this.data.maps[1][theme]); }

    target(steps) {
      const pairs = list => list.flatMap((k, i) => i % 2 ? [] : [[k, list[i + 1]]]);
      const asked = new Map(pairs(steps)), beside = steps.length === 2 ? this.also.get(steps.join(":")) ?? [] : [];
      return this.nearest(asked, new Map([...pairs(beside), ...asked]));
    }

    // What was asked for counts most, then what it takes along, then that all else stays; and what is chosen, more than numbers.
    nearest(asked, wanted) {
      const {states, values} = this.data, here = this.state;
      const rest = here.map((_, k) => k).filter(k => !asked.has(k));
      const aims = [...asked.keys(), ...rest].map(k => {
        const place = wanted.get(k) ?? here[k], weight = asked.has(k) ? 1e6 : wanted.has(k) ? 1e3 : 1;
        return {k, place, weight, extra: asked.has(k) ? 0 : 0.1, value: values[k][place], width: this.widths[k]};
      });
      let best = this.now, least = Infinity;
      for (let s = 0; s < states.length; s++) {
        const there = states[s];
        let far = 0;
        for (const {k, place, weight, extra, value, width} of aims) {
          if (there[k] === place) continue;
          far += weight * (extra + (width ? Math.abs(values[k][there[k]] - value) / width : 10));
          if (far >= least) break;
        }
        if (far < least) { least = far; best = s; }
      }
      return best;
    }

    // ---------------------------------------------------------------------------------------------------- what is seen

    html(k) {
      if (k && this.data.computed) return this.markup;
      const {data, words} = this, [base, columns] = data.frames[1][data.frames[0][k]], frame = [...base], ranks = [...data.states[k]];
      for (const [place, source, values, at] of columns) {
        const rank = source < 0 ? numberAt(at, this.rows[k]) : ranks[source];
        ranks.push(rank);
        frame[place] = values[rank];
      }
      return frame.map(number => words[number]).join("").replace(/map:(\d+):(\d+)/g, (mark, map, colours) => {
        if (!this.drawn.has(mark)) this.drawn.set(mark, mapOf(data.maps[0][map][0], shadesOf(data.maps[0], map), data.maps[1][colours]));
        return this.drawn.get(mark);
      });
    }

    // The pointer rests on what leads to a state: that is shown for as long.
    rest(steps) {
      const there = steps.length ? this.target(steps) : this.now;
      if (there !== this.seen) this.draw(there);
    }

    draw(k = this.now) {
      const {view} = this;
      this.seen = k;
      const old = [...view.querySelectorAll("canvas")];
      view.innerHTML = this.html(k);
      for (const [i, fresh] of [...view.querySelectorAll("canvas")].entries()) this.paint(fresh, old[i]);
      if (k !== this.now) return;
      this.settle();
      const last = view.querySelector(":scope > p:last-of-type");
      if (last && this.said.textContent !== last.textContent) this.said.textContent = last.textContent;
    }

    // Squares of the sheet; a canvas of the same size stays, and only what has changed is painted on it.
    paint(fresh, old) {
      const squares = unfold(this.data.images, +fresh.dataset.image), columns = Math.ceil(fresh.width / SIDE);
      let canvas = fresh, before = [];
      if (old && old.squares && old.width === fresh.width && old.height === fresh.height) {
        canvas = old;
        before = old.squares;
        for (const {name, value} of fresh.attributes) if (!["width", "height"].includes(name)) canvas.setAttribute(name, value);
        fresh.replaceWith(canvas);
      }
      const pen = canvas.getContext("2d", {willReadFrequently: true});
      squares.forEach((square, i) => {
        if (square === before[i]) return;
        const x = i % columns * SIDE, y = Math.floor(i / columns) * SIDE;
        pen.clearRect(x, y, SIDE, SIDE);
        const k = square >> 1;  // the even ones are kept without loss, the others are of photographs
        pen.drawImage(this.sheets[square & 1], k % ACROSS * SIDE, Math.floor(k / ACROSS) * SIDE, SIDE, SIDE, x, y, SIDE, SIDE);
      });
      canvas.squares = squares;
    }

    // The options of a choice that were recorded while it read as it does now: the words of another text are not to be had in this one.
    offered(k, words) {
      if (this.data.computed) return new Set(this.data.values[k]);
      const {states, values, look, looks} = this.data, same = list => String(new Map(list).get(k)) === String(words);
      const fits = look.map(([, list]) => same(list));
      return new Set(states.flatMap((there, s) => fits[looks[s]] ? [values[k][there[k]]] : []));
    }

    // The controls say what the picture shows.
    settle() {
      const [hidden, words] = this.look, named = new Map(words);
      for (const field of this.fields) {
        field.root.hidden = hidden.includes(field.k);
        field.set(this.state[field.k], named.get(field.k));
      }
      for (const {button, steps} of this.buttons) button.disabled = !steps().length;  // it leads to what was not recorded
      for (const told of this.box.querySelectorAll(".player-told")) told.textContent = "";
      for (const grid of this.box.querySelectorAll(".compact"))
        grid.hidden = [...grid.querySelectorAll("[data-control]")].every(root => root.hidden);
    }

    // -------------------------------------------------------------------------------------------------------- controls

    field(root) {
      const k = +root.dataset.control, input = root.querySelector("input, select");
      const column = this.data.values[k], labels = this.data.controls[k];
      const field = {root, k, set: () => {}}, move = place => this.go([k, place]);
      if (input) input.disabled = false;
      if (root.matches(".player-choice")) {
        const row = root.querySelector("div");
        row.onclick = event => {
          const button = event.target.closest("button"), place = button ? column.indexOf(+button.dataset.option) : -1;
          if (place >= 0) move(place);
        };
        field.set = (place, words) => {
          const offered = this.offered(k, words);
          if (row.children.length !== words.length) row.replaceChildren(...words.map((_, i) => this.option(i)));
          [...row.children].forEach((button, i) => {
            if (button.textContent !== words[i]) button.textContent = words[i];
            button.disabled = !offered.has(i);
            button.setAttribute("aria-pressed", String(i === column[place]));
          });
        };
      } else if (root.matches(".player-select")) {
        input.onchange = () => move(column.indexOf(+input.value));
        field.set = (place, words) => {
          const offered = this.offered(k, words);
          if (words.some((word, i) => word !== input.options[i]?.text) || words.length !== input.options.length)
            input.replaceChildren(...words.map((word, i) => new Option(word, i)));
          for (const option of input.options) option.disabled = !offered.has(+option.value);
          input.value = column[place];
        };
      } else if (root.matches(".player-tick")) {
        input.onchange = () => {
          const place = column.indexOf(input.checked);
          if (place >= 0) move(place); else this.settle();
        };
        field.set = place => { input.checked = column[place]; };
      } else if (root.matches(".player-text") && input.type === "text") {
        if (this.data.computed) this.typed(input, column, k); else this.judged(input, root.querySelector(".player-told"), column, k);
        field.set = place => { input.value = column[place]; };
      } else if (root.matches(".player-text")) {
        input.replaceChildren(...column.map((text, i) => new Option(text, i)));
        input.disabled = column.length < 2;
        input.onchange = () => move(+input.value);
        field.set = place => { input.value = place; };
      } else if (root.matches(".player-number")) {
        this.number(input, column, k, move);
        field.set = place => { input.value = column[place]; };
      } else {
        const output = root.querySelector("output");
        input.max = column.length - 1;
        input.disabled = column.length < 2;
        input.oninput = () => move(+input.value);
        field.set = (place, words) => {
          const said = words ? words[column[place]] : labels[place];
          input.value = place;
          output.textContent = said;
          input.setAttribute("aria-valuetext", said);
        };
      }
      return field;
    }

    // A text that is answered by what computes: soon after it was typed, at once where the field is left.
    typed(input, column, k) {
      let waits = 0;
      input.oninput = () => { clearTimeout(waits); waits = setTimeout(input.onchange, 300); };
      input.onchange = () => {
        clearTimeout(waits);
        const place = column.indexOf(input.value);
        this.go([k, place < 0 ? column.push(input.value) - 1 : place]);
      };
    }

    // A number that is missing: the right one and every known slip were recorded, so any other text is wrong.
    judged(input, told, column, k) {
      input.onchange = () => {
        const text = input.value.trim(), {states} = this.data, here = this.state;
        const beside = states.flatMap((there, s) => there.every((place, j) => j === k || place === here[j]) ? [s] : []);
        const found = beside.find(s => same(text, column[states[s][k]]));
        if (found !== undefined) { this.go([k, states[found][k]]); return; }
        this.go([k, column.indexOf("")]);
        input.value = text;
        told.textContent = Number.isNaN(number(text).value) ? `“${text}” is not read as a number. Type one such as 2, 3/7 or 0.429.`
          : beside.length > 2 ? `✗ ${text} is neither right nor a slip that is known here.`
          : "No answer was recorded for this number: take another one.";
      };
    }

    option(i) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.option = i;
      return button;
    }

    // A number that is typed goes to the nearest one that was recorded; arrow keys and the small arrows, to the next.
    number(input, column, k, move) {
      const closest = value => column.reduce((best, each, i) => Math.abs(each - value) < Math.abs(column[best] - value) ? i : best, 0);
      const step = by => move(Math.min(Math.max(this.state[k] + by, 0), column.length - 1));
      input.min = column[0];
      input.max = column.at(-1);
      input.onkeydown = event => {
        const by = {ArrowUp: 1, ArrowDown: -1}[event.key];
        if (by) { event.preventDefault(); step(by); }
      };
      input.onchange = () => {
        const off = input.valueAsNumber - column[this.state[k]];
        if (Number.isNaN(off)) return this.settle();
        const place = closest(input.valueAsNumber);
        if (place === this.state[k] && off) step(Math.sign(off)); else move(place);
      };
    }

    // -------------------------------------------------------------------------------------------------------- the hand

    listen() {
      const {box, view, data} = this;
      const under = event => {
        const part = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-set]");
        return part && view.contains(part) ? part : null;
      };
      const stroke = part => part?.matches("[data-paint], [data-drop]");
      let held = null;
      view.addEventListener("click", event => {
        const part = event.target.closest("[data-set]");
        if (part && !stroke(part)) this.go(data.sets[part.dataset.set]);
      });
      view.addEventListener("pointerdown", event => {
        const part = event.target.closest("[data-set]");
        if (!stroke(part) || event.button) return;
        event.preventDefault();
        view.setPointerCapture(event.pointerId);
        const steps = data.sets[part.dataset.set];
        if (part.matches("[data-paint]")) { held = {ink: data.values[steps[0]][steps[1]]}; this.go(steps); }
        else held = {part, drops: part.dataset.drop.split(" "), steps};
      });
      view.addEventListener("pointermove", event => {
        const part = held && "ink" in held ? under(event) : null;
        if (!part?.matches("[data-paint]")) return;
        const steps = data.sets[part.dataset.set];
        if (data.values[steps[0]]?.[steps[1]] === held.ink) this.go(steps);
      });
      view.addEventListener("pointerup", event => {
        const end = held?.drops ? under(event) : null, index = end?.getAttribute("class")?.match(/\br(\d+)/)?.[1];
        if (end === held?.part && end) this.go(held.steps);
        else if (end?.dataset.drop && index) this.go(data.sets[held.drops[index]]);
        held = null;
      });
      view.addEventListener("pointercancel", () => { held = null; });
      data.planes.forEach((name, k) => box.querySelectorAll(`.explorer-sheet > .at-${name}`).forEach(part => this.plane(part, k)));
    }

    plane(part, k) {
      let dragging = false;
      const steps = (event, kind) => {
        const table = this.data.tables[this.data.drags[this.now][k][kind]];
        if (!table) return [];
        const [columns, cells] = table, rows = cells.length / columns, place = part.getBoundingClientRect();
        const at = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
        const column = at((event.clientX - place.left) / place.width, columns);
        const row = at((event.clientY - place.top) / place.height, rows);
        return this.data.sets[cells[row * columns + column]];
      };
      part.addEventListener("pointerdown", event => {
        if (event.button) return;
        event.preventDefault();
        part.setPointerCapture(event.pointerId);
        const pressed = steps(event, 1), set = pressed.length ? pressed : steps(event, 0);
        dragging = part.matches(".drag") && !pressed.length;
        this.go(set.length ? set : steps(event, 2));  // what was not recorded is looked at, at least
      });
      part.addEventListener("pointermove", event => {
        if (dragging && event.buttons & 1) this.go(steps(event, 0));
        else if (!event.buttons && event.pointerType !== "touch") this.rest(steps(event, 2));
      });
      part.addEventListener("pointerleave", () => this.rest([]));
      for (const end of ["pointerup", "pointercancel"]) part.addEventListener(end, () => { dragging = false; });
    }
  }

  // A recording is read when its card comes near the window.
  const read = box => {
    const source = box.dataset.src;
    if (source.startsWith("#")) { new Player(box, JSON.parse(document.querySelector(source).textContent)); return; }  // it stands in the page
    const name = source.split("/").at(-1).replace(/\.js$/, "");
    if (waiting[name]) { waiting[name].push(box); return; }
    waiting[name] = [box];
    document.head.append(Object.assign(document.createElement("script"), {src: source}));
  };
  const boxes = document.querySelectorAll(".player[data-src]");
  const near = new IntersectionObserver(entries => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); read(entry.target); }
  }, {rootMargin: "1500px"});
  boxes.forEach(box => near.observe(box));
})();
