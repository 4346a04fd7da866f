// The small GPT of lesson 14, computed in the browser. On the front page one types, it goes on letter by letter, and the shade says
// where it looks; on the lesson's own page web/writing.js draws what it computes.
"use strict";
(() => {
  const NUM_LETTERS = 90, TEMPERATURE = 0.3, PAUSE = 30;  // milliseconds between two letters

  // ------------------------------------------------------------------------------------------------ helpers/decoder.py

  // 16-bit floats, written in base64.
  const floats = text => {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const halves = new Uint16Array(bytes.buffer), numbers = new Float64Array(halves.length);
    halves.forEach((half, i) => {
      const exponent = half >> 10 & 31, fraction = half & 1023;
      const size = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction / 1024 * 2 ** -14;
      numbers[i] = half >> 15 ? -size : size;
    });
    return numbers;
  };

  const softmax = row => {
    const most = Math.max(...row), powers = row.map(score => Math.exp(score - most));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map(power => power / sum);
  };

  const add = (X, Y) => X.map((row, i) => row.map((x, j) => x + Y[i][j]));

  class Decoder {
    constructor({letters, context, heads, layers, generators, names, numbers}) {
      Object.assign(this, {letters, context, heads, layers, generators});
      let start = 0;
      const all = floats(numbers);
      this.p = Object.fromEntries(names.map(([name, ...shape]) => {
        const count = shape.reduce((a, b) => a * b);
        return [name, all.subarray(start, start += count)];
      }));
    }

    linear(X, W, b) {
      const width = b.length;
      return X.map(row => {
        const out = Float64Array.from(b);
        row.forEach((x, i) => { if (x) for (let j = 0, k = i * width; j < width; j++, k++) out[j] += x * W[k]; });
        return out;
      });
    }

    norm(X, name) {
      const gain = this.p[`${name}.gain`], bias = this.p[`${name}.bias`];
      return X.map(row => {
        const mean = row.reduce((a, b) => a + b) / row.length, apart = row.map(x => x - mean);
        const spread = Math.sqrt(apart.reduce((sum, x) => sum + x * x, 0) / row.length + 1e-5);
        return apart.map((x, j) => gain[j] * x / spread + bias[j]);
      });
    }

    // What the last places get, those of X or the very last one; each looks at all up to itself. Keys and values are kept.
    attend(X, kept, name, isLast, looked) {
      const project = (Y, role) => this.linear(Y, this.p[`${name}.W_${role}`], this.p[`${name}.b_${role}`]);
      const K = kept[`${name}.K`] = [...kept[`${name}.K`] ?? [], ...project(X, "key")];
      const V = kept[`${name}.V`] = [...kept[`${name}.V`] ?? [], ...project(X, "value")];
      const Q = project(isLast ? X.slice(-1) : X, "query"), first = K.length - Q.length, d = Q[0].length / this.heads;
      const mixed = Q.map(row => new Float64Array(row.length));
      for (let head = 0; head < this.heads; head++) {
        const from = head * d, to = from + d;
        Q.forEach((q, i) => {
          const scores = new Float64Array(first + i + 1);  // nobody looks ahead
          for (let j = 0; j < scores.length; j++) {
            for (let k = from; k < to; k++) scores[j] += q[k] * K[j][k];
            scores[j] /= Math.sqrt(d);
          }
          const weights = softmax(scores);
          for (let j = 0; j < weights.length; j++) for (let k = from; k < to; k++) mixed[i][k] += weights[j] * V[j][k];
          if (i === Q.length - 1) looked.push([...weights]);
        });
      }
      return project(mixed, "output");
    }

    // The logits of the next letter, and how much each head of each layer looks at each letter for it. A text that begins with the
    // one before is read on from there.
    read(text) {
      const {p} = this, width = p["decoder_norm.gain"].length, looked = [];
      const {known, ...kept} = this.kept && text.length > this.kept.known.length && text.startsWith(this.kept.known) ? this.kept : {known: ""};
      let X = [...text.slice(known.length)].map((letter, k) => {
        const row = this.letters.indexOf(letter) * width, position = known.length + k;
        return Float64Array.from({length: width}, (_, j) => {
          const angle = position / 10000 ** ((j - j % 2) / width);
          return Math.sqrt(width) * p.embedding[row + j] + (j % 2 ? Math.cos(angle) : Math.sin(angle));
        });
      });
      for (let k = 0; k < this.layers; k++) {
        const name = `decoder.${k}`, ff = `${name}.feed_forward`, isLast = k === this.layers - 1;
        const mixed = this.attend(this.norm(X, `${name}.self_attention_norm`), kept, `${name}.self_attention`, isLast, looked);
        X = add(X.slice(-mixed.length), mixed);  // after the last layer only the last place is asked
        const hidden = this.linear(this.norm(X, `${name}.feed_forward_norm`), p[`${ff}.W_in`], p[`${ff}.b_in`]);
        X = add(X, this.linear(hidden.map(row => row.map(x => Math.max(x, 0))), p[`${ff}.W_out`], p[`${ff}.b_out`]));
      }
      this.kept = {known: text, ...kept};
      const [logits] = this.linear(this.norm(X, "decoder_norm"), p.W_vocabulary, p.b_vocabulary);
      return {logits: [...logits], looked};
    }

    // On average over some heads.
    mean(looked) {
      return looked[0].map((_, j) => looked.reduce((sum, row) => sum + row[j], 0) / looked.length);
    }

    // How likely each letter is drawn; temperature 0 takes the likeliest one, top_p the fewest likeliest ones that sum to it.
    probabilities(logits, temperature = 1, top_p = 1) {
      if (!temperature) return logits.map((_, k) => Number(k === logits.indexOf(Math.max(...logits))));
      const shares = softmax(logits.map(logit => logit / temperature));
      if (top_p === 1) return shares;
      let before = 0;
      const kept = shares.map(() => 0);
      for (const k of shares.map((_, k) => k).sort((a, b) => shares[b] - shares[a] || a - b)) {
        if (before < top_p - 1e-9) kept[k] = shares[k];
        before += shares[k];
      }
      const sum = kept.reduce((a, b) => a + b);
      return kept.map(share => share / sum);
    }

    // The numbers from 0 to 1 that NumPy's default_rng(seed).random() gives, from PCG64's first state and its increment on.
    *randoms(seed) {
      let [state, step] = this.generators[seed].map(BigInt);
      for (;;) {
        state = BigInt.asUintN(128, state * 0x2360ed051fc65da44385df649fccf645n + step);
        const folded = BigInt.asUintN(64, state >> 64n ^ state), turn = state >> 122n;
        yield Number(BigInt.asUintN(64, folded >> turn | folded << 64n - turn) >> 11n) / 2 ** 53;
      }
    }

    plain(text) {
      return text.toLowerCase().replace(/[^a-z ,.:?']/g, " ").replace(/ +/g, " ");
    }

    // The next letter, drawn by a number from 0 to 1, and where it came from.
    next(text, temperature, top_p = 1, random = Math.random()) {
      const {logits, looked} = this.read(text.slice(-this.context)), shares = this.probabilities(logits, temperature, top_p);
      let sum = 0;
      const drawn = shares.findIndex(share => random < (sum += share));
      return {letter: this.letters[drawn < 0 ? shares.findLastIndex(share => share) : drawn], looked};
    }
  }

  let open = () => {};
  window.readLetters = given => {
    window.letterModel = new Decoder(given);
    open();
  };

  // ---------------------------------------------------------------------------------------------------- the front page

  const box = document.querySelector(".writer");
  if (!box) return;
  const line = box.querySelector("input"), shown = box.querySelector(".writer-text"), said = box.querySelector(".player-said");
  let run = 0, model;

  const draw = (typed, written, weights) => {
    const text = typed + written, first = text.length - 1 - weights.length;
    shown.replaceChildren(...[...text].map((letter, k) => {
      const span = document.createElement("span");
      span.textContent = letter;
      if (k < typed.length) span.className = "typed";
      const weight = weights[k - first];
      if (weight) span.style.background = `linear-gradient(to top, color-mix(in srgb, var(--ink) 34%, transparent) ${Math.round(100 * weight)}%, transparent 0)`;
      return span;
    }));
  };

  const write = async () => {
    const mine = ++run, typed = model.plain(line.value) || " ";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let written = "", weights = [];
    for (let k = 0; k < NUM_LETTERS; k++) {
      const next = model.next(typed + written, TEMPERATURE);
      written += next.letter;
      weights = model.mean(next.looked);
      if (!still) {
        draw(typed, written, weights);
        await new Promise(done => setTimeout(done, PAUSE));
        if (mine !== run) return;
      }
    }
    draw(typed, written, weights);
    said.textContent = typed + written;
  };

  let waits = 0;
  line.oninput = () => { run++; clearTimeout(waits); waits = setTimeout(write, 350); };
  box.querySelector("button").onclick = write;
  open = () => {
    model = window.letterModel;
    for (const part of box.querySelectorAll("input, button")) part.disabled = false;
    write();
  };
  document.head.append(Object.assign(document.createElement("script"), {src: box.dataset.letters}));
})();
