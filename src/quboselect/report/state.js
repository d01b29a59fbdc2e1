/* One state, the place on the path and an alpha in its window, and what is selected there: all else follows it. */

// ---- state: a place, and an alpha in its window -------------------------------------------------------------------

const first = data.here;
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
