/* The values of the page, read from #data, and how numbers and words are written. Names are data:
   they are only ever set as text. */

const data = JSON.parse(document.getElementById("data").textContent);
const { names, importance, paths } = data;
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
  if (block && column[j] >= 0) return data.precise.lowest + block[live[i] * data.precise.features.length + column[j]] * data.precise.scale;
  if (block && column[i] >= 0) return data.precise.lowest + block[live[j] * data.precise.features.length + column[i]] * data.precise.scale;
  return data.map.lowest + (level(rank[i], rank[j]) / 255) * (data.map.largest - data.map.lowest);
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
const unitsText = (count) => `${count} ${count === 1 ? data.units.slice(0, -1) : data.units}`;
function proofText(p) {
  if (p.gap === 0) return "proven";
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
