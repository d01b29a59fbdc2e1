/* The table of all features, and a word where a table does not fit. */

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

let entry = [];
function entries() { // the smallest k at which each feature is in, at this alpha
  const found = new Array(n).fill(null);
  for (const { k, places } of paths) for (const i of places[placeAt(places, alpha)].x) found[i] = found[i] === null ? k : Math.min(found[i], k);
  return found;
}
const columns = [
  ["#", (i) => data.numbers[i], 1],
  ["feature", (i) => names[i].toLowerCase(), 1],
  ["importance", (i) => (excluded[i] ? Infinity : importance[i]), -1],
  ["mean redundancy with the selected", (i) => (excluded[i] ? Infinity : mean(i)), -1],
  ["contribution", (i) => (excluded[i] ? Infinity : contribution(i)), -1],
  ["selected", (i) => inside[i] - excluded[i], -1],
  ["from k", (i) => (entry[i] === null ? Infinity : entry[i]), 1],
  ...(data.frequency ? [["chosen in resamples", (i) => data.frequency[i], -1]] : []),
  ...(data.missing ? [["missing", (i) => (data.missing[i] === null ? Infinity : data.missing[i]), -1]] : []),
];
const percent = (part) => `${(100 * part).toFixed(0)}%`;
const mean = (i) => { const others = between - inside[i]; return others > 0 ? sums[i] / others : 0; };
let sorted = { by: 4, way: -1 };
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
  return element("th", { scope: "col", class: ["", "", "importance", "redundancy"][c] || "" }, button);
});
table.tHead.append(element("tr", {}, ...heads));
by("filter").addEventListener("input", () => featureRows());
by("only").addEventListener("change", () => featureRows());
by("more").addEventListener("click", () => { all = !all; featureRows(); });

function featureRows() {
  entry = entries();
  const wanted = by("filter").value.trim().toLowerCase();
  const only = by("only").checked;
  const key = Array.from({ length: n }, (_, i) => columns[sorted.by][1](i));
  const which = [];
  for (let i = 0; i < n; i++) if ((!only || inside[i]) && (!wanted || names[i].toLowerCase().includes(wanted))) which.push(i);
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a === b ? 0 : a - b);
  // What no subset has stays last, whichever way.
  which.sort((a, b) => (key[a] === Infinity) - (key[b] === Infinity) || sorted.way * compare(key[a], key[b]) || a - b);
  heads.forEach((head, c) => {
    if (c === sorted.by) head.setAttribute("aria-sort", sorted.way > 0 ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  const largest = Math.max(...importance, 0);
  const measured = which.filter((i) => !excluded[i]);
  const means = measured.map(mean);
  const most = Math.max(...means, 0);
  const gains = measured.map(contribution);
  const best = gains.reduce((far, value) => Math.max(far, Math.abs(value)), 0);
  const [one, two, three] = [importance, means, gains].map(aligned);
  const none = () => element("td", {}, "\u2013");
  const rows = which.slice(0, all ? n : FEW).map((i) => {
    const row = element("tr", {}, element("td", {}, String(data.numbers[i])), element("th", { scope: "row" }, nameOf(i)),
      ...(excluded[i] ? [none(), none(), none()] : [bar("importance", importance[i], largest, one(importance[i])),
        bar("redundancy", mean(i), most, two(mean(i))), gain(contribution(i), best, three(contribution(i)))]),
      inside[i] ? element("td", { class: "yes" }, "yes") : excluded[i] ? element("td", { class: "quiet" }, "excluded") : none(),
      element("td", {}, entry[i] === null ? "\u2013" : String(entry[i])),
      ...(data.frequency ? [bar("often", data.frequency[i], 1, percent(data.frequency[i]))] : []),
      ...(data.missing ? [element("td", {}, data.missing[i] === null ? "\u2013" : percent(data.missing[i]))] : []));
    if (inside[i]) row.className = "is-in";
    return row;
  });
  table.tBodies[0].replaceChildren(...rows);
  by("matches").textContent = wanted || only ? `${which.length} found` : "";
  by("more").hidden = which.length <= FEW;
  by("more").textContent = all ? `Show the first ${FEW}` : `Show all ${which.length}`;
  cues();
}
