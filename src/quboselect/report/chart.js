/* The chart: three staircases over alpha, and a strip that says what is proven. */

const chart = by("chart");
const SVG = "http://www.w3.org/2000/svg";
const odds = (a) => Math.log(a / (1 - a));
const windows = places.filter((p) => !p.extra && p.stop > p.start);
const cuts = windows.flatMap((p) => [p.start, p.stop]).filter((a) => a > 0 && a < 1).map(odds);
const span = cuts.length ? [Math.min(...cuts), Math.max(...cuts)] : [-1, 1];
const room = Math.max(0.06 * (span[1] - span[0]), 0.3);
const low = windows.some((p) => p.start === 0) ? span[0] - room : span[0];
const high = windows.some((p) => p.stop === 1) ? span[1] + room : span[1] + (span[1] === span[0] ? room : 0);
const panels = [
  ["size", "features", (p) => p.x.length],
  ["importance", `importance${data.unit ? ` (${data.unit})` : ""}`, (p) => p.importance],
  ["redundancy", `redundancy${data.unit ? ` (${data.unit})` : ""}`, (p) => p.redundancy],
];
const LEFT = 44, RIGHT = 10, TALL = 84, GAP = 30, TOP = 22;
let across = 0;

function svg(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
const place = (a) => (a <= 0 ? low : a >= 1 ? high : Math.min(Math.max(odds(a), low), high));
const xOf = (a) => LEFT + ((place(a) - low) / (high - low)) * (across - LEFT - RIGHT);

function ticks(most, whole) { // two to four round numbers up to the largest
  if (!(most > 1e-12)) return [0];
  const unit = 10 ** Math.floor(Math.log10(most));
  const steps = [5, 2, 1, 0.5, 0.2].map((s) => s * unit).filter((s) => !whole || s >= 1);
  const step = steps.find((s) => most / s >= 1.98) || steps[steps.length - 1];
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

function alphaTicks() {
  const nice = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  for (let e = 2; e < 8; e++) for (const t of [5, 2, 1]) nice.push(Number((1 - t * 10 ** -e).toFixed(e)));
  let within = nice.filter((a) => odds(a) >= low && odds(a) <= high);
  const kept = [];
  for (const a of within) if (!kept.length || xOf(a) - xOf(kept[kept.length - 1]) >= 46) kept.push(a);
  if (kept.length < 2) {
    within = [0.15, 0.5, 0.85].map((t) => 1 / (1 + Math.exp(-(low + t * (high - low)))));
    return within.map((a) => [a, alphaText(a)]);
  }
  return kept.map((a) => [a, String(a)]);
}

function drawChart() {
  across = Math.max(chart.clientWidth || 640, 260);
  const bottom = TOP + panels.length * (TALL + GAP) - GAP;
  const tall = bottom + 62;
  const picture = svg("svg", { viewBox: `0 0 ${across} ${tall}`, role: "img" });
  picture.append(svg("title", {}, "Size, importance and redundancy of the best subset over alpha"));
  const hatch = svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  hatch.append(svg("rect", { class: "hatch-ground", width: 6, height: 6 }), svg("line", { class: "hatch-line", x1: 1.5, y1: 0, x2: 1.5, y2: 6 }));
  const kept = svg("defs", {});
  kept.append(hatch);
  picture.append(kept, svg("g", { class: "marks-below" }));
  panels.forEach(([kind, title, value], row) => {
    const top = TOP + row * (TALL + GAP);
    const most = Math.max(...places.map(value), 1e-12);
    const y = (v) => top + TALL - (v / most) * TALL;
    picture.append(svg("text", { class: "title", x: LEFT, y: top - 8 }, title));
    for (const t of ticks(most, kind === "size")) {
      picture.append(svg("line", { class: "grid", x1: LEFT, x2: across - RIGHT, y1: y(t), y2: y(t) }));
      picture.append(svg("text", { x: LEFT - 6, y: y(t) + 4, "text-anchor": "end" }, number(t)));
    }
    const line = windows.map((p, i) => {
      const joined = i && windows[i - 1].stop === p.start;
      return `${joined ? "V" + y(value(p)) : `M${xOf(p.start)} ${y(value(p))}`}H${xOf(p.stop)}`;
    }).join("");
    picture.append(svg("path", { class: `stair ${kind}`, d: line }));
  });
  for (const p of windows) {
    const x = xOf(p.start);
    picture.append(svg("rect", { class: p.gap === 0 ? "is-proven" : "is-open", x, y: bottom + 8, width: Math.max(xOf(p.stop) - x - 0.6, 0.6), height: 7 }));
  }
  for (const [a, text] of alphaTicks()) {
    picture.append(svg("line", { class: "grid", x1: xOf(a), x2: xOf(a), y1: bottom + 16, y2: bottom + 21 }));
    picture.append(svg("text", { x: xOf(a), y: bottom + 34, "text-anchor": "middle" }, text));
  }
  picture.append(svg("text", { class: "title", x: LEFT, y: bottom + 54 }, "alpha"));
  let legend = across - RIGHT;
  const kinds = [["is-open", "best found", (p) => p.gap !== 0], ["is-proven", "proven", (p) => p.gap === 0]];
  for (const [kind, text, which] of kinds) {
    if (!windows.some(which)) continue;
    legend -= 7 * text.length + 22;
    picture.append(svg("rect", { class: kind, x: legend, y: bottom + 45, width: 14, height: 9 }));
    picture.append(svg("text", { x: legend + 19, y: bottom + 54 }, text));
  }
  picture.append(svg("g", { class: "marks" }));
  chart.replaceChildren(picture);
  if (here >= 0) mark();
}

function mark() {
  const picture = chart.firstElementChild;
  if (!picture) return;
  const p = places[here];
  const bottom = TOP + panels.length * (TALL + GAP) - GAP;
  const [a, b] = [xOf(p.start), xOf(p.stop)];
  const wide = Math.max(b - a, 2);
  picture.querySelector(".marks-below").replaceChildren(
    svg("rect", { class: "band", x: (a + b - wide) / 2, y: TOP - 4, width: wide, height: bottom - TOP + 20 }));
  const marks = [];
  if (data.here !== here) {
    const x = (xOf(places[data.here].start) + xOf(places[data.here].stop)) / 2;
    marks.push(svg("line", { class: "pick", x1: x, x2: x, y1: TOP - 4, y2: bottom + 4 }));
  }
  const middle = (a + b) / 2;
  panels.forEach(([kind, , value], row) => {
    const y = TOP + row * (TALL + GAP) + TALL * (1 - value(p) / Math.max(...places.map(value), 1e-12));
    marks.push(svg("circle", { class: `dot ${kind}`, cx: middle, cy: y, r: 5.5 }));
    const right = middle < across - 90;
    marks.push(svg("text", { class: "value", x: middle + (right ? 10 : -10), y: y - 7, "text-anchor": right ? "start" : "end" }, number(value(p))));
  });
  picture.querySelector(".marks").replaceChildren(...marks);
  chart.setAttribute("aria-label", `Path over alpha; now ${featuresText(p.x.length)} at alpha ${windowText(p)}, ${proofText(p)}. Arrow keys move along it.`);
}

function pick(event) {
  const box = chart.firstElementChild.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * across;
  const t = low + ((x - LEFT) / (across - LEFT - RIGHT)) * (high - low);
  const at = 1 / (1 + Math.exp(-Math.min(Math.max(t, low), high)));
  let found = places.findIndex((p) => !p.extra && p.start <= at && at <= p.stop);
  if (found < 0) found = at < places[0].start ? 0 : places.length - 1;
  const p = places[found];
  go(found, Math.min(Math.max(at, p.start), p.stop));
}
chart.addEventListener("pointerdown", (event) => { if (event.button === 0) pick(event); });
chart.addEventListener("pointermove", (event) => { if (event.buttons & 1) pick(event); });
chart.addEventListener("keydown", (event) => {
  const to = { ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, Home: 0, End: places.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
});
