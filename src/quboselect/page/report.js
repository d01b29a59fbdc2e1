"use strict";
/* The page's script: the data in #data flow in, and the sliders, the chart, the tables and the map follow one state, the
   place on the path. Names are data: they are only ever set as text. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { names, importance, places } = data;
  const n = names.length;
  const by = (id) => document.getElementById(id);

  // ---- redundancy -------------------------------------------------------------------------------------------------

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const cells = bytes(data.map.bytes);
  const order = data.map.order;
  const rank = new Int32Array(n).fill(-1);
  order.forEach((feature, i) => { rank[feature] = i; });
  const live = new Int32Array(n).fill(-1);
  data.live.forEach((feature, i) => { live[feature] = i; });
  const column = new Int32Array(n).fill(-1);
  let block = null;
  if (data.precise) {
    data.precise.features.forEach((feature, i) => { column[feature] = i; });
    const raw = bytes(data.precise.bytes).buffer;
    block = data.precise.width === 4 ? new Float32Array(raw) : new Uint16Array(raw);
  }

  function level(i, j) { // the byte of a pair, by ranks in the map
    if (i === j) return 0;
    const [a, b] = i < j ? [i, j] : [j, i];
    return cells[a * order.length - (a * (a + 1)) / 2 + (b - a - 1)];
  }

  function repeats(i, j) { // redundancy of two features, as precisely as it is known
    if (i === j || live[i] < 0 || live[j] < 0) return 0;
    if (block && column[j] >= 0) return block[live[i] * data.precise.features.length + column[j]] * data.precise.scale;
    if (block && column[i] >= 0) return block[live[j] * data.precise.features.length + column[i]] * data.precise.scale;
    return (level(rank[i], rank[j]) / 255) * data.map.largest;
  }

  // ---- words ------------------------------------------------------------------------------------------------------

  const minus = (text) => text.replace(/-/g, "\u2212");
  function number(value) {
    if (Math.abs(value) >= 1000) return minus(value.toFixed(0));
    if (Math.abs(value) < 1e-12) return "0";
    return minus(String(Number(value.toPrecision(4))));
  }
  function aligned(values) { // a column's numbers: equally many decimals, at least four digits for the largest
    const largest = values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    const least = largest < 1e3 ? 3 : largest < 1e5 ? 1 : 0;
    const decimals = largest > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(largest)), least), 12) : 0;
    return (value) => minus(value.toFixed(decimals)).replace(/^\u2212(0\.?0*)$/, "$1");
  }
  function alphaText(...alphas) {
    const least = alphas.filter((a) => a > 0 && a < 1).map((a) => Math.min(a, 1 - a));
    const digits = Math.min(Math.max(...least.map((a) => 2 - Math.floor(Math.log10(a))), 4), 9);
    return [...new Set(alphas.map((a) => (a > 0 && a < 1 ? a.toFixed(digits) : String(a))))].join("\u2013");
  }
  const windowText = (p) => alphaText(p.start, p.stop);
  const featuresText = (count) => `${count} feature${count === 1 ? "" : "s"}`;
  function proofText(p) {
    if (p.gap === 0) return p.extra ? "proven among those of its size" : "proven";
    if (p.gap === null) return "gap unknown";
    return p.gap > 1 ? "gap over 100%" : `gap ${p.gap >= 5e-5 ? (100 * p.gap).toFixed(2) + "%" : p.gap.toPrecision(1)}`;
  }
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  // Characters that are not seen, or that turn their neighbours round, as in the rows that need no script.
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;
  const visible = (text) => text.replace(UNSEEN, (c) => {
    const point = c.charCodeAt(0);
    return point < 32 ? String.fromCharCode(0x2400 + point) : `[U+${point.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
  const seen = names.map(visible);
  const nameOf = (i) => (names[i].trim()
    ? element("bdi", { class: "name", title: seen[i] }, seen[i]) : element("bdi", { class: "name unnamed" }, "no name"));
  const excluded = new Uint8Array(n);
  data.excluded.forEach((i) => { excluded[i] = 1; });

  // ---- state: a place, and an alpha in its window -------------------------------------------------------------------

  const first = data.here === null ? Math.floor(places.length / 2) : data.here;
  let here = -1;
  let alpha = 0;
  let inside = new Uint8Array(n);
  let sums = new Float64Array(n);
  let between = 0;

  function go(place, at) {
    place = Math.min(Math.max(place, 0), places.length - 1);
    const p = places[place];
    const known = place === data.here && data.alpha !== null ? data.alpha : (p.start + p.stop) / 2;
    alpha = at === undefined ? known : at;
    here = place;
    inside = new Uint8Array(n);
    p.x.forEach((i) => { inside[i] = 1; });
    sums = new Float64Array(n);
    for (let i = 0; i < n; i++) if (live[i] >= 0) for (const j of p.x) sums[i] += repeats(i, j);
    between = p.x.length;
    steer();
    selection();
    mark();
    featureRows();
    drawMap();
    cues();
    for (const row of by("segments").tBodies[0].rows) {
      const now = Number(row.dataset.place) === here;
      row.classList.toggle("is-here", now);
      if (now) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
      const box = row.closest(".tall");
      if (now && (row.offsetTop < box.scrollTop + 40 || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight)) {
        box.scrollTop = row.offsetTop - box.clientHeight / 2;
      }
    }
  }
  const contribution = (i) => -alpha * importance[i] + (1 - alpha) * (sums[i] + (data.cost ? data.cost[i] : 0));

  // ---- sliders ----------------------------------------------------------------------------------------------------

  const sizes = [...new Set(places.map((p) => p.x.length))].sort((a, b) => a - b);
  const widest = sizes.map((size) => {
    const of = places.map((p, i) => i).filter((i) => places[i].x.length === size);
    if (of.includes(data.here)) return data.here;
    return of.reduce((a, b) => (places[b].stop - places[b].start > places[a].stop - places[a].start ? b : a));
  });
  const alphaSlider = by("alpha");
  const sizeSlider = by("size");
  alphaSlider.max = places.length - 1;
  sizeSlider.max = sizes.length - 1;
  alphaSlider.disabled = places.length < 2;
  sizeSlider.disabled = sizes.length < 2;
  alphaSlider.addEventListener("input", () => go(Number(alphaSlider.value)));
  sizeSlider.addEventListener("input", () => go(widest[Number(sizeSlider.value)]));
  by("before").addEventListener("click", () => go(here - 1));
  by("after").addEventListener("click", () => go(here + 1));
  by("home").addEventListener("click", () => go(first));
  if (data.here === null) by("home").hidden = true;
  if (places.length < 2) for (const id of ["before", "after", "home"]) by(id).hidden = true;

  function steer() {
    const p = places[here];
    const size = p.x.length;
    alphaSlider.value = here;
    sizeSlider.value = sizes.indexOf(size);
    const text = windowText(p);
    by("alpha-value").textContent = text;
    by("size-value").textContent = `${size} of ${data.total}`;
    alphaSlider.setAttribute("aria-valuetext", `alpha ${text.replace("\u2013", " to ")}, ${featuresText(size)}`);
    sizeSlider.setAttribute("aria-valuetext", featuresText(size));
    by("before").disabled = here === 0;
    by("after").disabled = here === places.length - 1;
  }

  // ---- what is selected -------------------------------------------------------------------------------------------

  function bar(kind, value, largest, text) {
    const cell = element("td", { class: `bar ${kind}` }, text);
    cell.style.setProperty("--share", `${largest > 0 ? Math.min((100 * value) / largest, 100) : 0}%`);
    return cell;
  }

  function selection() {
    const p = places[here];
    const size = p.x.length;
    by("h-selection").textContent = `${featuresText(size)}${here === data.here ? ", as selected" : ""}`;
    by("sums").replaceChildren(
      "importance ", element("b", {}, number(p.importance)), " \u00b7 redundancy ", element("b", {}, number(p.redundancy)),
      " \u00b7 ", element("span", { class: p.gap === 0 ? "proven" : "open" }, proofText(p)),
    );
    const before = here ? new Set(places[here - 1].x) : new Set();
    const now = new Set(p.x);
    by("change").replaceChildren(
      chips("Entered", p.x.filter((i) => !before.has(i))), chips("Left", [...before].filter((i) => !now.has(i))),
    );
    const largest = Math.max(...importance, 0);
    const most = Math.max(...p.x.map((i) => sums[i]), 0);
    const [one, two, three] = [(i) => importance[i], (i) => sums[i], contribution].map((of) => aligned(p.x.map(of)));
    const rows = [...p.x].sort((a, b) => importance[b] - importance[a] || a - b).map((i) => element("tr", {},
      element("th", { scope: "row" }, nameOf(i)), bar("importance", importance[i], largest, one(importance[i])),
      bar("redundancy", sums[i], most, two(sums[i])), element("td", {}, three(contribution(i)))));
    by("selected").tBodies[0].replaceChildren(...rows);
  }

  function chips(what, which) {
    const shown = which.slice(0, 12).map((i) => element("span", { class: "chip" }, nameOf(i)));
    const more = which.length > 12 ? [`and ${which.length - 12} more`] : [];
    return element("p", {}, element("span", { class: "what" }, what), ...(shown.length ? shown : ["nothing"]), ...more);
  }

  // ---- the chart: three staircases over alpha, and a strip that says what is proven ----------------------------------

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
    if (data.here !== null && data.here !== here) {
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

  // ---- what does not fit is told, as a bar to scroll with is not always seen ---------------------------------------------

  const boxes = [...document.querySelectorAll("div.wide")].map((box) => {
    const said = element("p", { class: "cue" });
    box.after(said);
    return [box, said];
  });
  function cues() {
    for (const [box, said] of boxes) {
      const right = box.scrollWidth > box.clientWidth + 1, below = box.scrollHeight > box.clientHeight + 1;
      const count = box.querySelectorAll("tbody tr").length;
      said.textContent = `${below ? `${count} rows in all: scroll the table down. ` : ""}${right ? "More columns to the right: scroll the table sideways." : ""}`;
      said.hidden = !right && !below;
    }
  }

  // ---- all features -----------------------------------------------------------------------------------------------

  const entry = new Array(n).fill(null);
  for (const p of places) if (!p.extra) for (const i of p.x) entry[i] = entry[i] === null ? p.start : Math.min(entry[i], p.start);
  const columns = [
    ["#", (i) => data.numbers[i], 1],
    ["feature", (i) => names[i].toLowerCase(), 1],
    ["importance", (i) => (excluded[i] ? Infinity : importance[i]), -1],
    ["mean redundancy with the selected", (i) => (excluded[i] ? Infinity : mean(i)), -1],
    ["contribution", (i) => (excluded[i] ? Infinity : contribution(i)), 1],
    ["selected", (i) => inside[i] - excluded[i], -1],
    ["from alpha", (i) => (entry[i] === null ? Infinity : entry[i]), 1],
  ];
  const mean = (i) => { const others = between - inside[i]; return others > 0 ? sums[i] / others : 0; };
  let sorted = { by: 4, way: 1 };
  const FEW = 20;
  let all = false;
  const table = by("features");
  const heads = columns.map(([title], c) => {
    const button = element("button", { type: "button", class: "sort" }, title);
    if (c === 0) button.setAttribute("aria-label", "number");
    button.addEventListener("click", () => {
      sorted = { by: c, way: sorted.by === c ? -sorted.way : columns[c][2] };
      featureRows();
    });
    return element("th", { scope: "col", class: ["", "", "importance", "redundancy", "", "", ""][c] }, button);
  });
  table.tHead.append(element("tr", {}, ...heads));
  by("filter").addEventListener("input", () => featureRows());
  by("only").addEventListener("change", () => featureRows());
  by("more").addEventListener("click", () => { all = !all; featureRows(); });

  function featureRows() {
    const wanted = by("filter").value.trim().toLowerCase();
    const only = by("only").checked;
    const key = Array.from({ length: n }, (_, i) => columns[sorted.by][1](i));
    const which = [];
    for (let i = 0; i < n; i++) if ((!only || inside[i]) && (!wanted || names[i].toLowerCase().includes(wanted))) which.push(i);
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a === b ? 0 : a - b);
    // What no place has stays last, whichever way.
    which.sort((a, b) => (key[a] === Infinity) - (key[b] === Infinity) || sorted.way * compare(key[a], key[b]) || a - b);
    heads.forEach((head, c) => {
      if (c === sorted.by) head.setAttribute("aria-sort", sorted.way > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const largest = Math.max(...importance, 0);
    const measured = which.filter((i) => !excluded[i]);
    const means = measured.map(mean);
    const most = Math.max(...means, 0);
    const [one, two, three] = [importance, means, measured.map(contribution)].map(aligned);
    const none = () => element("td", {}, "\u2013");
    const rows = which.slice(0, all ? n : FEW).map((i) => {
      const row = element("tr", {}, element("td", {}, String(data.numbers[i])), element("th", { scope: "row" }, nameOf(i)),
        ...(excluded[i] ? [none(), none(), none()] : [bar("importance", importance[i], largest, one(importance[i])),
          bar("redundancy", mean(i), most, two(mean(i))), element("td", {}, three(contribution(i)))]),
        inside[i] ? element("td", { class: "yes" }, "yes") : excluded[i] ? element("td", { class: "quiet" }, "excluded") : none(),
        element("td", {}, entry[i] === null ? "\u2013" : alphaText(entry[i])));
      if (inside[i]) row.className = "is-in";
      return row;
    });
    table.tBodies[0].replaceChildren(...rows);
    by("matches").textContent = wanted || only ? `${which.length} found` : "";
    by("more").hidden = which.length <= FEW;
    by("more").textContent = all ? `Show the first ${FEW}` : `Show all ${which.length}`;
    cues();
  }

  // ---- the map ------------------------------------------------------------------------------------------------------

  const map = by("map");
  const canvas = map.firstElementChild;
  const choice = by("map-set");
  const pathFeatures = new Set(places.flatMap((p) => p.x));
  const sets = [["all", order.length ? `all ${featuresText(order.length)}` : "no features"], ["path", "features on the path"], ["now", "the selected features"]];
  for (const [value, text] of sets) choice.append(element("option", { value }, text));
  choice.disabled = !order.length;
  choice.addEventListener("change", () => { cursor = null; drawMap(); });
  by("map-largest").textContent = `${number(data.map.largest)}${data.unit ? ` ${data.unit}` : ""}`;
  let cursor = null;
  let shown = [];
  let frame = { x: 0, y: 0, side: 0 };
  let raster = { key: "" };

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  function rgb(name) { const hex = colour(name); return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)); }
  function palette() {
    const stops = ["--map-0", "--map-1", "--map-2"].map(rgb);
    return Array.from({ length: 256 }, (_, v) => {
      const t = v / 127.5, from = stops[t < 1 ? 0 : 1], to = stops[t < 1 ? 1 : 2], part = t < 1 ? t : t - 1;
      return from.map((c, i) => Math.round(c + (to[i] - c) * part));
    });
  }

  function picture() { // one pixel a pair; kept until other features or colours are wanted
    const key = `${choice.value}|${shown.join()}|${colour("--map-2")}`;
    if (raster.key === key) return raster.canvas;
    const m = shown.length;
    const made = document.createElement("canvas");
    made.width = made.height = Math.max(m, 1);
    const context = made.getContext("2d");
    const image = context.createImageData(Math.max(m, 1), Math.max(m, 1));
    const colours = palette(), none = rgb("--map-none");
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) {
      const c = i === j ? none : colours[level(rank[shown[i]], rank[shown[j]])];
      image.data.set([c[0], c[1], c[2], 255], 4 * (i * m + j));
    }
    context.putImageData(image, 0, 0);
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

  // ---- begin ------------------------------------------------------------------------------------------------------

  for (const button of document.querySelectorAll("button.go")) {
    button.addEventListener("click", () => {
      go(Number(button.closest("tr").dataset.place));
      if (innerWidth < 821) by("explore").scrollIntoView();
    });
  }
  document.documentElement.classList.add("scripted");
  drawChart();
  go(first);
  let wide = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; drawChart(); drawMap(); cues(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
  const printing = (on) => () => { document.documentElement.classList.toggle("printing", on); drawMap(); };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
})();
