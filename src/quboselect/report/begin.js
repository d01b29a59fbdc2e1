/* Everything is known: begin at the place that was selected, and draw again when the window changes. */

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
