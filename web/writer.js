// The small GPT of lesson 13, computed in the browser: one types, it goes on letter by letter, and the shade says where it looks.
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
    constructor({letters, context, heads, layers, names, numbers}) {
      Object.assign(this, {letters, context, heads, layers});
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
        row.forEach((x, i) => { for (let j = 0, k = i * width; j < width; j++, k++) out[j] += x * W[k]; });
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

    attend(X, name, looked) {
      const project = (Y, role) => this.linear(Y, this.p[`${name}.W_${role}`], this.p[`${name}.b_${role}`]);
      const [Q, K, V] = ["query", "key", "value"].map(role => project(X, role)), d = Q[0].length / this.heads;
      const mixed = Q.map(row => new Float64Array(row.length));
      for (let head = 0; head < this.heads; head++) {
        const from = head * d, to = from + d;
        Q.forEach((q, i) => {
          const scores = Array.from({length: i + 1}, (_, j) => {  // nobody looks ahead
            let dot = 0;
            for (let k = from; k < to; k++) dot += q[k] * K[j][k];
            return dot / Math.sqrt(d);
          });
          const weights = softmax(scores);
          weights.forEach((w, j) => { for (let k = from; k < to; k++) mixed[i][k] += w * V[j][k]; });
          if (i === Q.length - 1) looked.push(weights);
        });
      }
      return project(mixed, "output");
    }

    // The logits of the next letter, and how much each letter is looked at for it, on average over the heads.
    read(text) {
      const {p} = this, width = p["decoder_norm.gain"].length, looked = [];
      let X = [...text].map((letter, position) => {
        const row = this.letters.indexOf(letter) * width;
        return Float64Array.from({length: width}, (_, j) => {
          const angle = position / 10000 ** ((j - j % 2) / width);
          return Math.sqrt(width) * p.embedding[row + j] + (j % 2 ? Math.cos(angle) : Math.sin(angle));
        });
      });
      for (let k = 0; k < this.layers; k++) {
        const name = `decoder.${k}`, ff = `${name}.feed_forward`;
        X = add(X, this.attend(this.norm(X, `${name}.self_attention_norm`), `${name}.self_attention`, looked));
        const hidden = this.linear(this.norm(X, `${name}.feed_forward_norm`), p[`${ff}.W_in`], p[`${ff}.b_in`]);
        X = add(X, this.linear(hidden.map(row => row.map(x => Math.max(x, 0))), p[`${ff}.W_out`], p[`${ff}.b_out`]));
      }
      const [logits] = this.linear(this.norm(X.slice(-1), "decoder_norm"), p.W_vocabulary, p.b_vocabulary);
      return {logits, weights: looked[0].map((_, j) => looked.reduce((sum, row) => sum + row[j], 0) / looked.length)};
    }

    plain(text) {
      return text.toLowerCase().replace(/[^a-z ,.:?']/g, " ").replace(/ +/g, " ");
    }

    // The next letter and where it came from; temperature 0 takes the likeliest one.
    next(text, temperature) {
      const {logits, weights} = this.read(text.slice(-this.context));
      if (!temperature) return {letter: this.letters[logits.indexOf(Math.max(...logits))], weights};
      let left = Math.random();
      const shares = softmax(Array.from(logits, logit => logit / temperature));
      const drawn = shares.findIndex(share => (left -= share) < 0);
      return {letter: this.letters[drawn < 0 ? 0 : drawn], weights};
    }
  }

  // ---------------------------------------------------------------------------------------------------------- the page

  const box = document.querySelector(".writer");
  if (!box) return;
  const line = box.querySelector("input"), shown = box.querySelector(".writer-text"), said = box.querySelector(".player-said");
  let run = 0;

  const draw = (typed, written, weights) => {
    const text = typed + written, first = text.length - 1 - weights.length, most = Math.max(...weights);
    shown.replaceChildren(...[...text].map((letter, k) => {
      const span = document.createElement("span");
      span.textContent = letter;
      if (k < typed.length) span.className = "typed";
      const weight = weights[k - first];
      if (weight) span.style.backgroundColor = `color-mix(in srgb, var(--ink) ${Math.round(34 * weight / most)}%, transparent)`;
      return span;
    }));
  };

  const write = async () => {
    const mine = ++run, typed = box.model.plain(line.value) || " ";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let written = "", weights = [];
    for (let k = 0; k < NUM_LETTERS; k++) {
      const next = box.model.next(typed + written, TEMPERATURE);
      written += next.letter;
      weights = next.weights;
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
  window.readLetters = given => {
    box.model = new Decoder(given);
    for (const part of box.querySelectorAll("input, button")) part.disabled = false;
    write();
  };
  document.head.append(Object.assign(document.createElement("script"), {src: box.dataset.letters}));
})();
