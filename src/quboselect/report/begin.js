/* Everything is known: begin at what was selected, and draw again when the window changes. */

for (const button of document.querySelectorAll("button.go")) {
  button.addEventListener("click", () => {
    const { k, alpha: at } = button.closest("tr").dataset;
    go(paths.findIndex((p) => p.k === Number(k)), Number(at));
    if (innerWidth < 821) by("explore").scrollIntoView();
  });
}
document.documentElement.classList.add("scripted");
// What is new in the selection is told beside the best of one fewer.
if (home.k > 0) before = paths[home.k - 1].places[placeAt(paths[home.k - 1].places, home.alpha)].x;
go(home.k, home.alpha, data.here.place);
let wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; drawChart(); drawMap(); cues(); } });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
const printing = (on) => () => { document.documentElement.classList.toggle("printing", on); drawMap(); };
addEventListener("beforeprint", printing(true));
addEventListener("afterprint", printing(false));
