/* The map of redundancy: one cell a pair, with a cursor. */

const map = by("map");
const canvas = map.firstElementChild;
const choice = by("map-set");
const pathFeatures = new Set(paths.flatMap((path) => path.places.flatMap((p) => p.x)));
const sets = [["all", order.length ? `all ${featuresText(order.length)}` : "no features"], ["path", "features of any subset"], ["now", "features of this subset"]];
for (const [value, text] of sets) choice.append(element("option", { value }, text));
choice.disabled = !order.length;
choice.addEventListener("change", () => { cursor = null; drawMap(); });
by("map-lowest").textContent = data.map.lowest < 0 ? number(data.map.lowest) : "0";
by("map-largest").textContent = `${number(data.map.shade)}${data.unit ? ` ${data.unit}` : ""}${data.map.shade < data.map.largest ? " or more" : ""}`;
let cursor = null;
let shown = [];
let frame = { x: 0, y: 0, side: 0 };
let raster = { key: "" };

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function rgb(name) { const hex = colour(name); return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)); }
function palette() { // from nothing to much; below nothing, of pairs that say more together, to another colour
  const [below, none, some, much] = ["--map-below", "--map-0", "--map-1", "--map-2"].map(rgb);
  const { lowest, shade } = data.map;
  return (value) => { // by the square root, so that small redundancies are seen beside large ones
    const furthest = Math.max(shade, -lowest) || 1;
    const t = 2 * Math.sign(value) * Math.min(Math.sqrt(Math.abs(value) / furthest), 1);
    const [from, to, part] = t < 0 ? [none, below, -t / 2] : t < 1 ? [none, some, t] : [some, much, t - 1];
    return from.map((c, i) => Math.round(c + (to[i] - c) * part));
  };
}
function drawRamp() {
  const colours = palette();
  const { lowest, shade } = data.map;
  const stops = Array.from({ length: 13 }, (_, i) => `rgb(${colours(lowest + (i / 12) * (shade - lowest)).join()})`);
  document.querySelector(".ramp").style.setProperty("background", `linear-gradient(to right, ${stops.join()})`);
}

function picture() { // one pixel a pair; kept until other features or colours are wanted
  const key = `${choice.value}|${shown.join()}|${colour("--map-2")}`;
  if (raster.key === key) return raster.canvas;
  const m = shown.length;
  const made = document.createElement("canvas");
  made.width = made.height = Math.max(m, 1);
  const context = made.getContext("2d");
  const image = context.createImageData(Math.max(m, 1), Math.max(m, 1));
  const { lowest, largest } = data.map;
  const none = rgb("--map-none"), of = palette();
  const colours = Array.from({ length: 256 }, (_, v) => of(lowest + (v / 255) * (largest - lowest)));
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) {
    const c = i === j ? none : colours[level(rank[shown[i]], rank[shown[j]])];
    image.data.set([c[0], c[1], c[2], 255], 4 * (i * m + j));
  }
  context.putImageData(image, 0, 0);
  drawRamp();
  pairs();
  raster = { key, canvas: made };
  return made;
}

function pairs() { // the pairs that repeat each other most, for those who do not read maps
  const found = [];
  for (let i = 0; i < shown.length; i++) for (let j = i + 1; j < shown.length; j++) {
    const value = level(rank[shown[i]], rank[shown[j]]);
    if (found.length < 6 || value > found[5][0]) {
      found.push([value, shown[i], shown[j]]);
      found.sort((a, b) => b[0] - a[0]);
      found.length = Math.min(found.length, 6);
    }
  }
  const rows = found.map(([, i, j]) => [repeats(i, j), i, j]).sort((a, b) => b[0] - a[0]);
  const text = aligned(rows.map((row) => row[0]));
  by("pairs").replaceChildren(...rows.map(([value, i, j]) => element("li", {},
    element("span", { class: "pair" }, nameOf(i), nameOf(j)), element("b", {}, text(value)))));
  by("h-pairs").hidden = !rows.length;
}

function shorten(context, name, width) {
  let text = name.length > 60 ? `${name.slice(0, 60)}\u2026` : name;
  while (text.length > 2 && context.measureText(text).width > width) text = `${text.slice(0, -2)}\u2026`;
  return text;
}

function drawMap() {
  shown = order.filter((i) => choice.value === "all" || (choice.value === "path" ? pathFeatures.has(i) : inside[i]));
  const m = shown.length;
  const across_ = Math.max(map.clientWidth || 640, 200);
  const labels = m > 0 && m <= 48 && across_ > 430;
  const edge = labels ? 176 : 12;
  const side = across_ - edge - 2;
  const cell = side / Math.max(m, 1);
  const top = 12;
  const tall = (m ? side : 40) + top + 2;
  const sharp = window.devicePixelRatio || 1;
  canvas.width = across_ * sharp;
  canvas.height = tall * sharp;
  const context = canvas.getContext("2d");
  context.setTransform(sharp, 0, 0, sharp, 0, 0);
  context.clearRect(0, 0, across_, tall);
  frame = { x: edge, y: top, side };
  if (!m) {
    context.fillStyle = colour("--quiet");
    context.font = "15px system-ui, sans-serif";
    context.fillText("None of these features repeats another.", edge, 28);
    by("pairs").replaceChildren();
    by("h-pairs").hidden = true;
    return read();
  }
  context.imageSmoothingEnabled = cell * sharp < 1;
  context.drawImage(picture(), edge, top, side, side);
  if (cell >= 9) { // a line between cells, so that empty ones are cells and no gaps
    context.fillStyle = colour("--card");
    for (let r = 1; r < m; r++) {
      context.fillRect(edge, top + r * cell - 0.5, side, 1);
      context.fillRect(edge + r * cell - 0.5, top, 1, side);
    }
  }
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  shown.forEach((i, r) => {
    const middle = (r + 0.5) * cell;
    if (inside[i]) {
      const wide = Math.max(cell, 1.5);
      context.fillStyle = colour("--mark");
      context.fillRect(edge - 9, top + middle - wide / 2, 7, wide - (cell > 4 ? 1 : 0));
      context.fillRect(edge + middle - wide / 2, top - 9, wide - (cell > 4 ? 1 : 0), 7);
    }
    if (labels) {
      context.fillStyle = colour(inside[i] ? "--ink" : "--quiet");
      context.font = `${inside[i] ? "600 " : ""}${Math.min(12, Math.max(9, cell))}px system-ui, sans-serif`;
      if (cell >= 9) context.fillText(shorten(context, seen[i], edge - 18), edge - 14, top + middle);
    }
  });
  if (cell >= 5 && choice.value !== "now") {
    context.strokeStyle = colour("--mark");
    const line = cell >= 11 ? 2 : 1;
    context.lineWidth = line;
    const chosen = shown.map((i, r) => r).filter((r) => inside[shown[r]]);
    for (const r of chosen) for (const c of chosen) if (r !== c) context.strokeRect(edge + c * cell + line / 2, top + r * cell + line / 2, cell - line, cell - line);
    context.lineWidth = 1;
  }
  if (cursor) {
    context.strokeStyle = colour("--ink");
    context.globalAlpha = 0.55;
    context.beginPath();
    for (const [at, x] of [[cursor[0], false], [cursor[1], true]]) {
      const middle = (at + 0.5) * cell;
      context.moveTo(x ? edge + middle : edge, x ? top : top + middle);
      context.lineTo(x ? edge + middle : edge + side, x ? top + side : top + middle);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeRect(edge + cursor[1] * cell - 1, top + cursor[0] * cell - 1, cell + 2, cell + 2);
    context.lineWidth = 1;
  }
  return read();
}

function read() {
  if (!cursor || !shown.length) {
    by("map-value").replaceChildren(element("span", { class: "quiet" }, "Point at a cell to see which two features it is of."));
    return;
  }
  const [i, j] = [shown[cursor[0]], shown[cursor[1]]];
  const tell = (f) => [nameOf(f), inside[f] ? " (selected)" : ""];
  const line = (...parts) => element("span", { class: "line" }, ...parts);
  by("map-value").replaceChildren(...(i === j
    ? [line(...tell(i)), line("importance ", element("b", {}, number(importance[i])))]
    : [line(...tell(i)), line(...tell(j)), line("redundancy ", element("b", {}, number(repeats(i, j))))]));
}

function point(event) {
  const box = canvas.getBoundingClientRect();
  const at = (value) => Math.floor((value / frame.side) * shown.length);
  const r = at(event.clientY - box.top - frame.y), c = at(event.clientX - box.left - frame.x);
  const next = r >= 0 && c >= 0 && r < shown.length && c < shown.length ? [r, c] : null;
  if (String(next) !== String(cursor)) { cursor = next; drawMap(); }
}
map.addEventListener("pointermove", point);
map.addEventListener("pointerdown", point);
map.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && document.activeElement !== map) { cursor = null; drawMap(); } });
map.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (event.key === "Escape") { cursor = null; drawMap(); }
  if (!step || !shown.length) return;
  event.preventDefault();
  const jump = event.shiftKey ? 10 : 1;
  const last = shown.length - 1;
  cursor = cursor ? cursor.map((v, d) => Math.min(Math.max(v + jump * step[d], 0), last)) : [0, Math.min(1, last)];
  drawMap();
});
