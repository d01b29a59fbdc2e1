/* One state, k and alpha, and the subset that is the best known there: all else follows it. */

// ---- state: k, alpha, and the place on the path of that size -----------------------------------------------------

const home = { k: paths.findIndex((p) => p.k === data.here.k), alpha: data.here.alpha };
let size = -1; // which of the paths
let alpha = 0;
let here = -1; // which place of it
let now = null;
let before = []; // the subset that was shown before this one
let inside = new Uint8Array(n);
let sums = new Float64Array(n);
let between = 0;

function placeAt(path, at) { // the place at an alpha: one that is known there alone, or the window it lies in, or the nearest
  const alone = path.findIndex((p) => p.start === p.stop && p.start === at);
  if (alone >= 0) return alone;
  const away = path.map((p) => (p.start === p.stop ? 2 + Math.abs(p.start - at) : Math.max(p.start - at, at - p.stop, 0)));
  return away.indexOf(Math.min(...away));
}
const isHome = () => size === home.k && here === data.here.place && (alpha === home.alpha || now.start < now.stop);
const wholeAt = (at) => data.whole.find((p) => p.start <= at && at <= p.stop);

function go(which, at, there) {
  size = Math.min(Math.max(which, 0), paths.length - 1);
  alpha = Math.min(Math.max(at, 0), 1);
  const path = paths[size].places;
  here = there === undefined ? placeAt(path, alpha) : there;
  const next = path[here];
  if (now && String(now.x) !== String(next.x)) before = now.x;
  now = next;
  inside = new Uint8Array(n);
  now.x.forEach((i) => { inside[i] = 1; });
  sums = new Float64Array(n);
  for (let i = 0; i < n; i++) if (live[i] >= 0) for (const j of now.x) sums[i] += repeats(i, j);
  between = now.x.length;
  steer();
  selection();
  drawChart();
  featureRows();
  drawMap();
  cues();
  for (const id of ["own", "segments"]) for (const row of by(id).tBodies[0].rows) {
    const { k, start, stop } = row.dataset;
    const wide = Number(stop) > Number(start);
    const current = Number(k) === paths[size].k && (id === "own" ? Number(start) === now.start && Number(stop) === now.stop
      : Number(start) <= alpha && alpha <= Number(stop) && wide);
    row.classList.toggle("is-here", current);
    if (current) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
    const box = row.closest(".tall");
    if (current && (row.offsetTop < box.scrollTop + 40 || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight)) {
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
  }
}
const contribution = (i) => alpha * importance[i] - (1 - alpha) * (sums[i] + (data.cost ? data.cost[i] : 0)); // above 0 is good
function step(by_) { // the next subset of this size that differs, in the middle of its window
  const path = paths[size].places;
  let to = here + by_;
  while (path[to] && String(path[to].x) === String(now.x)) to += by_;
  if (path[to]) go(size, (path[to].start + path[to].stop) / 2, to);
}

// ---- sliders: alpha on the scale of its odds, from 0 to 1 --------------------------------------------------------

const odds = (a) => Math.log(a / (1 - a));
const LIMIT = 8;
const alphas = [home.alpha, ...data.whole.flatMap((p) => [p.start, p.stop]), ...paths.flatMap((path) => path.places.flatMap((p) => [p.start, p.stop]))];
const cuts = alphas.filter((a) => a > 0 && a < 1).map(odds).map((a) => Math.min(Math.max(a, -LIMIT), LIMIT));
const span = cuts.length ? [Math.min(...cuts), Math.max(...cuts)] : [-1, 1];
const room = Math.max(0.06 * (span[1] - span[0]), 0.3);
const [low, high] = [span[0] - room, span[1] + room];
const share = (a) => (a <= 0 ? 0 : a >= 1 ? 1 : Math.min(Math.max((odds(a) - low) / (high - low), 0), 1));
const alphaOf = (part) => (part <= 0 ? 0 : part >= 1 ? 1 : 1 / (1 + Math.exp(-(low + part * (high - low)))));

const alphaSlider = by("alpha");
const sizeSlider = by("size");
const still = paths.length < 2 && new Set(paths[0].places.map((p) => String(p.x))).size < 2;
sizeSlider.max = paths.length - 1;
alphaSlider.disabled = still;
sizeSlider.disabled = paths.length < 2;
alphaSlider.addEventListener("input", () => {
  const near = Math.round(1000 * share(home.alpha));
  go(size, Number(alphaSlider.value) === near ? home.alpha : alphaOf(alphaSlider.value / 1000));
});
sizeSlider.addEventListener("input", () => go(Number(sizeSlider.value), alpha));
by("before").addEventListener("click", () => step(-1));
by("after").addEventListener("click", () => step(1));
by("home").addEventListener("click", () => go(home.k, home.alpha, data.here.place));
by("best").addEventListener("click", () => {
  const best = wholeAt(alpha);
  const to = best ? paths.findIndex((p) => p.k === best.k) : -1;
  if (to >= 0) go(to, alpha);
});
if (still) for (const id of ["before", "after", "home", "best", "optimal"]) by(id).hidden = true;

function steer() {
  const { k, places } = paths[size];
  alphaSlider.value = Math.round(1000 * share(alpha));
  sizeSlider.value = size;
  by("alpha-value").textContent = `${alphaText(alpha)}${now.start < now.stop ? ` (this subset ${windowText(now).replace("\u2013", " to ")})` : ""}`;
  by("size-value").textContent = data.units === "features" ? `${k} of ${data.total}` : unitsText(k);
  alphaSlider.setAttribute("aria-valuetext", `alpha ${alphaText(alpha)}`);
  sizeSlider.setAttribute("aria-valuetext", unitsText(k));
  const other = (some) => some.some((p) => String(p.x) !== String(now.x));
  by("before").disabled = !other(places.slice(0, here));
  by("after").disabled = !other(places.slice(here + 1));
  const best = wholeAt(alpha);
  const known = best && paths.some((p) => p.k === best.k);
  by("best").disabled = !known || best.k === k;
  if (!data.whole.length) return;
  by("optimal").textContent = !best ? "Which size is optimal at this alpha was not explored."
    : best.k === k ? `Among subsets of every size, ${unitsText(k)} are optimal at this alpha${best.gap === 0 ? ": proven." : ", as far as was found."}`
      : `Among subsets of every size, ${unitsText(best.k)} would be optimal at this alpha${best.gap === 0 ? ": proven." : ", as far as was found."}`;
}

// ---- what is selected -------------------------------------------------------------------------------------------

function bar(kind, value, largest, text) {
  const cell = element("td", { class: `bar ${kind}` }, text);
  cell.style.setProperty("--share", `${largest > 0 ? Math.max(Math.min((100 * value) / largest, 100), 0) : 0}%`);
  return cell;
}

function gain(value, largest, text) { // a bar as long as the contribution, of another colour where that is below 0
  return bar(value < 0 ? "loss" : "gain", Math.abs(value), largest, text);
}

function selection() {
  const x = now.x;
  by("h-selection").textContent = `${featuresText(x.length)}${isHome() ? ", as selected" : ""}`;
  by("sums").replaceChildren(
    "importance ", element("b", {}, number(now.importance)), " \u00b7 redundancy ", element("b", {}, number(now.redundancy)),
    " \u00b7 ", element("span", { class: now.gap === 0 ? "proven" : "open" }, `${proofText(now)} among subsets of ${unitsText(paths[size].k)}`),
  );
  const old = new Set(before), fresh = new Set(x);
  by("change").replaceChildren(
    chips("Entered", x.filter((i) => !old.has(i))), chips("Left", [...old].filter((i) => !fresh.has(i))),
  );
  const largest = Math.max(...importance, 0);
  const most = Math.max(...x.map((i) => sums[i]), 0);
  const best = Math.max(...x.map((i) => Math.abs(contribution(i))), 0);
  const [one, two, three] = [(i) => importance[i], (i) => sums[i], contribution].map((of) => aligned(x.map(of)));
  const rows = [...x].sort((a, b) => importance[b] - importance[a] || a - b).map((i) => element("tr", {},
    element("th", { scope: "row" }, nameOf(i)), bar("importance", importance[i], largest, one(importance[i])),
    bar("redundancy", sums[i], most, two(sums[i])), gain(contribution(i), best, three(contribution(i)))));
  by("selected").tBodies[0].replaceChildren(...rows);
}

function chips(what, which) {
  const shown = which.slice(0, 12).map((i) => element("span", { class: "chip" }, nameOf(i)));
  const more = which.length > 12 ? [`and ${which.length - 12} more`] : [];
  return element("p", {}, element("span", { class: "what" }, what), ...(shown.length ? shown : ["nothing"]), ...more);
}
