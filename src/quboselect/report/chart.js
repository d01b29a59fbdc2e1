/* The chart over alpha: the size that is optimal among all sizes, importance and redundancy of the best of this size, and
   a strip that says what is proven of it. */

const chart = by("chart");
const SVG = "http://www.w3.org/2000/svg";
const label = (word) => `${word}${data.unit ? ` (${data.unit})` : ""}`;
const LEFT = 50, RIGHT = 10, TALL = 84, GAP = 30, TOP = 22;
let across = 0;

function svg(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
const xOf = (a) => LEFT + share(a) * (across - LEFT - RIGHT);

function ticks(least, most, whole) { // two to five round numbers from the lowest to the largest
  const tall = most - least;
  if (!(tall > 1e-12)) return [least];
  const unit = 10 ** Math.floor(Math.log10(tall));
  const steps = [5, 2, 1, 0.5, 0.2].map((s) => s * unit).filter((s) => !whole || s >= 1);
  const step_ = steps.find((s) => tall / s >= 1.98) || steps[steps.length - 1];
  const first = Math.ceil(least / step_ - 1e-9);
  return Array.from({ length: Math.floor(most / step_ + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step_).toPrecision(6)));
}

function alphaTicks() {
  const nice = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  for (let e = 2; e < 8; e++) for (const t of [5, 2, 1]) nice.push(Number((1 - t * 10 ** -e).toFixed(e)));
  const within = nice.filter((a) => odds(a) >= low && odds(a) <= high);
  const kept = [];
  for (const a of within) if (!kept.length || xOf(a) - xOf(kept[kept.length - 1]) >= 46) kept.push(a);
  if (kept.length < 2) return [0.15, 0.5, 0.85].map(alphaOf).map((a) => [a, alphaText(a)]);
  return kept.map((a) => [a, String(a)]);
}

function panels() {
  const windows = paths[size].places.filter((p) => p.stop > p.start);
  const sizes = { kind: "size", title: `${data.units}: optimal among all sizes, and k`, stairs: data.whole, value: (p) => p.k, at: paths[size].k, whole: true };
  return [...(data.whole.length ? [sizes] : []), ...["importance", "redundancy"].map((kind) => (
    { kind, title: `${label(kind)} of the best ${unitsText(paths[size].k)}`, stairs: windows, value: (p) => p[kind], at: now[kind] }))];
}

function drawChart() {
  if (size < 0) return;
  across = Math.max(chart.clientWidth || 640, 260);
  const rows = panels();
  const bottom = TOP + rows.length * (TALL + GAP) - GAP;
  const picture_ = svg("svg", { viewBox: `0 0 ${across} ${bottom + 62}`, role: "img" });
  picture_.append(svg("title", {}, "The optimal size, and importance and redundancy of the best subset of k, over alpha"));
  const hatch = svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  hatch.append(svg("rect", { class: "hatch-ground", width: 6, height: 6 }), svg("line", { class: "hatch-line", x1: 1.5, y1: 0, x2: 1.5, y2: 6 }));
  const kept = svg("defs", {});
  kept.append(hatch);
  const [a, b] = now.start < now.stop ? [xOf(now.start), xOf(now.stop)] : [xOf(alpha), xOf(alpha)];
  const wide = Math.max(b - a, 2);
  picture_.append(kept, svg("rect", { class: "band", x: (a + b - wide) / 2, y: TOP - 4, width: wide, height: bottom - TOP + 20 }));
  const x = xOf(alpha);
  const marks = [];
  if (!isHome()) marks.push(svg("line", { class: "pick", x1: xOf(home.alpha), x2: xOf(home.alpha), y1: TOP - 4, y2: bottom + 4 }));
  rows.forEach(({ kind, title, stairs, value, at, whole }, row) => {
    const top = TOP + row * (TALL + GAP);
    const values = [...stairs.map(value), at];
    const least = Math.min(...values, 0), most = Math.max(...values, least + 1e-12);
    const y = (v) => top + TALL - ((v - least) / (most - least)) * TALL;
    picture_.append(svg("text", { class: "title", x: LEFT, y: top - 8 }, title));
    for (const t of ticks(least, most, whole)) {
      picture_.append(svg("line", { class: "grid", x1: LEFT, x2: across - RIGHT, y1: y(t), y2: y(t) }));
      picture_.append(svg("text", { x: LEFT - 6, y: y(t) + 4, "text-anchor": "end" }, number(t)));
    }
    const line = stairs.map((p, i) => {
      const joined = i && stairs[i - 1].stop === p.start;
      return `${joined ? "V" + y(value(p)) : `M${xOf(p.start)} ${y(value(p))}`}H${xOf(p.stop)}`;
    }).join("");
    if (line) picture_.append(svg("path", { class: `stair ${kind}`, d: line }));
    if (whole) marks.push(svg("line", { class: "level", x1: LEFT, x2: across - RIGHT, y1: y(at), y2: y(at) }));
    marks.push(svg("circle", { class: `dot ${kind}`, cx: x, cy: y(at), r: 5.5 }));
    const right = x < across - 90;
    marks.push(svg("text", { class: "value", x: x + (right ? 10 : -10), y: y(at) - 7, "text-anchor": right ? "start" : "end" }, number(at)));
  });
  const windows = rows[rows.length - 1].stairs;
  for (const p of windows) {
    const left = xOf(p.start);
    picture_.append(svg("rect", { class: p.gap === 0 ? "is-proven" : "is-open", x: left, y: bottom + 8, width: Math.max(xOf(p.stop) - left - 0.6, 0.6), height: 7 }));
  }
  for (const p of paths[size].places) {
    if (p.start === p.stop && p.gap === 0) picture_.append(svg("rect", { class: "is-proven", x: xOf(p.start) - 1.5, y: bottom + 6, width: 3, height: 11 }));
  }
  for (const [t, text] of alphaTicks()) {
    picture_.append(svg("line", { class: "grid", x1: xOf(t), x2: xOf(t), y1: bottom + 16, y2: bottom + 21 }));
    picture_.append(svg("text", { x: xOf(t), y: bottom + 34, "text-anchor": "middle" }, text));
  }
  picture_.append(svg("text", { class: "title", x: LEFT, y: bottom + 54 }, across < 480 ? "alpha, the weight of importance" : "alpha, the weight of importance (the scale is stretched near 0 and 1)"));
  let legend = across - RIGHT;
  const kinds = [["is-open", "best found", (p) => p.gap !== 0], ["is-proven", "proven", (p) => p.gap === 0]];
  for (const [kind, text, which] of kinds) {
    if (!paths[size].places.some(which)) continue;
    legend -= 7 * text.length + 22;
    picture_.append(svg("rect", { class: kind, x: legend, y: bottom + 45, width: 14, height: 9 }));
    picture_.append(svg("text", { x: legend + 19, y: bottom + 54 }, text));
  }
  picture_.append(...marks);
  chart.replaceChildren(picture_);
  chart.setAttribute("aria-label", `Over alpha; now ${unitsText(paths[size].k)} at alpha ${alphaText(alpha)}, ${proofText(now)}. Left and right change the subset, up and down k.`);
}

function pick(event) {
  const box = chart.firstElementChild.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * across;
  go(size, alphaOf((x - LEFT) / (across - LEFT - RIGHT)));
}
chart.addEventListener("pointerdown", (event) => { if (event.button === 0) pick(event); });
chart.addEventListener("pointermove", (event) => { if (event.buttons & 1) pick(event); });
chart.addEventListener("keydown", (event) => {
  const to = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => go(size + 1, alpha), ArrowDown: () => go(size - 1, alpha),
    Home: () => go(0, alpha), End: () => go(paths.length - 1, alpha) }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  to();
});
