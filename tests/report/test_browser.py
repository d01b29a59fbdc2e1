"""The report in a real browser: sliders, sorting, map, hostile names, phone, dark, print; no request leaves it."""

import json
import shutil
import struct

import numpy as np
import pandas as pd
import pytest

from authors import DATA, needs
from quboselect import SelectQUBO, Tradeoff, best_subset, criteria, importance, redundancy
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.report import FeatureProfile, Frequencies, Score, TableProfile, table_profile, write_report
from quboselect.report.tables import visible_text

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: no browser to open a report"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed: no browser to open a report"
)

HOSTILE = [
    "<script>window.hacked = 1; alert(1)</script>",
    "</script><img id=evil src='https://example.invalid/x.png' onerror='window.hacked = 1'>",
    "<!-- <script>",
    '"><svg onload="window.hacked = 1">',
    "emoji 🦜 \N{RIGHT-TO-LEFT OVERRIDE}turned",
    "without a space " + "x" * 1000,
    "javascript:alert(1)",
    "",
]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def ionosphere(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "ionosphere.html"
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO.paper(k=5).fit(pd.DataFrame(X, columns=[f"pulse {i}" for i in range(34)]), y).report(file)
    return file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "hostile.html"
    rng = np.random.default_rng(0)
    R = np.triu(rng.random((8, 8)), 1)
    result = best_subset(Tradeoff(rng.random(8), R + R.T), k=4, names=HOSTILE)
    columns = tuple(FeatureProfile(0.1, 2, (90, 10), (name, name[::-1])) for name in HOSTILE)
    facts = {
        "target": HOSTILE[3],
        "also": {"table": HOSTILE[1]},
        "notes": HOSTILE,
        "stability": Frequencies([0.5] * 8, 0.5),
        "score": Score(HOSTILE[5], 0.5, 0.5),
        "profile": TableProfile(100, columns, columns[5]),
    }
    write_report(file, result, title=HOSTILE[1], code=HOSTILE[1], **facts)
    return file


@pytest.fixture
def opened(browser):
    """Return a function that opens a file, and check afterwards that nothing went wrong and nothing went out."""
    contexts, wrong = [], []

    def opening(file, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        context.on(
            "request", lambda request: wrong.append(request.url) if request.url != file.as_uri() else None
        )
        page.goto(file.as_uri())
        return page

    yield opening
    for context in contexts:
        context.close()
    assert not [said for said in wrong if not said.startswith("data:")]


def selected(page):
    return page.locator("#selected tbody th").all_inner_texts()


def column(page, number):
    return page.locator(f"#features tbody tr > :nth-child({number})").all_inner_texts()


def test_it_opens_at_what_was_selected(ionosphere, opened):
    page = opened(ionosphere)
    assert page.locator("h1").inner_text() == "5 of 34 features selected"
    assert set(selected(page)) == {f"pulse {i}" for i in (0, 2, 4, 5, 20)}
    assert page.locator("#size-value").inner_text() == "5 of 34"
    assert "proven" in page.locator("#sums").inner_text()
    # The rows that a page without a script shows are those that the script makes.
    quiet = opened(ionosphere, java_script_enabled=False)
    assert selected(quiet) == selected(page)
    assert quiet.locator("#selected tbody").inner_text() == page.locator("#selected tbody").inner_text()
    assert not quiet.locator("#alpha").is_visible()
    assert quiet.locator("noscript").first.is_visible()


def alpha_of(page):
    return page.locator("#alpha-value").inner_text().split(" ")[0]


def test_the_sliders_move_apart_by_key_and_by_mouse(ionosphere, opened):
    page = opened(ionosphere)
    alpha, size = page.locator("#alpha"), page.locator("#size")
    at = alpha_of(page)
    size.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#size-value").inner_text() == "6 of 34"
    assert len(selected(page)) == 6
    assert size.get_attribute("aria-valuetext") == "6 features"
    assert alpha_of(page) == at
    entered, left = page.locator("#change p").all_inner_texts()
    gone = 6 - entered.count("pulse")
    assert left.count("pulse") == 5 - gone
    page.keyboard.press("Home")
    assert selected(page) == ["pulse 4"]
    assert alpha_of(page) == at
    alpha.focus()
    page.keyboard.press("Home")
    assert alpha_of(page) == "0"
    assert page.locator("#size-value").inner_text() == "1 of 34"
    size.scroll_into_view_if_needed()
    box = size.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    assert len(selected(page)) == 20
    assert alpha_of(page) == "0"
    page.locator("#home").click()
    assert len(selected(page)) == 5
    assert alpha_of(page) == at
    assert page.locator("#h-selection").inner_text() == "5 features, as selected"


def test_at_every_pair_of_k_and_alpha_the_best_known_subset_of_that_size_is_shown(ionosphere, opened):
    page = opened(ionosphere)
    shown = page.evaluate(
        """() => {
          const [size, alpha] = ["size", "alpha"].map((id) => document.getElementById(id));
          const move = (slider, to) => { slider.value = to; slider.dispatchEvent(new Event("input")); };
          const found = [];
          for (let k = 0; k <= Number(size.max); k++) for (let at = 0; at <= 1000; at += 200) {
            move(size, k); move(alpha, at);
            const told = document.getElementById("alpha-value").textContent.split(" ")[0];
            found.push([k, Number(size.value), Number(alpha.value), at, told,
              [...document.querySelectorAll("#selected tbody bdi")].map((name) => Number(name.textContent.slice(6)))]);
          }
          return found;
        }"""
    )
    data = json.loads(page.locator("#data").text_content())
    tradeoff = SelectQUBO.paper(k=5).fit(*load_ionosphere(return_X_y=True)).result_.tradeoff
    assert len(shown) == 20 * 6
    for k, size, alpha, at, told, x in shown:
        assert (size, alpha, len(x)) == (k, at, k + 1)
        lines = [tradeoff.line(np.isin(np.arange(34), place["x"])) for place in data["paths"][k]["places"]]
        best = min(line.energy(float(told)) for line in lines)
        own = tradeoff.line(np.isin(np.arange(34), x)).energy(float(told))
        # The alpha that is told has four digits.
        assert own <= best + 1e-3 * max(abs(best), 1.0)


def test_a_button_leads_to_what_is_optimal_among_all_sizes_at_this_alpha(ionosphere, opened):
    X, y = load_ionosphere(return_X_y=True)
    whole = SelectQUBO.paper(k=5).fit(X, y).path()
    page = opened(ionosphere)
    assert page.locator("#best").is_disabled()
    page.locator("#alpha").focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    wanted = whole.at(float(alpha_of(page)))
    assert page.locator("#size-value").inner_text() == "5 of 34"
    assert f"{wanted.size} features would be optimal" in page.locator("#optimal").inner_text()
    page.locator("#best").click()
    assert set(selected(page)) == {f"pulse {i}" for i in wanted.features}
    assert "are optimal at this alpha: proven." in page.locator("#optimal").inner_text()
    assert "proven among subsets of" in page.locator("#sums").inner_text()


def test_next_and_previous_lead_through_the_subsets_of_one_size(ionosphere, opened):
    page = opened(ionosphere)
    own = [tuple(selected(page))]
    while page.locator("#after").is_enabled():
        page.locator("#after").click()
        own.append(tuple(selected(page)))
    assert {len(each) for each in own} == {5}
    assert len(set(own)) == len(own) > 1
    while page.locator("#before").is_enabled():
        page.locator("#before").click()
    assert page.locator("#size-value").inner_text() == "5 of 34"
    assert tuple(selected(page)) not in own


@pytest.mark.parametrize("criterion", [criteria.Pairs(), criteria.JMI(), criteria.DISR()])
def test_every_criterion_opens_at_its_selection_and_moves(criterion, opened, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, criterion=criterion).fit(X[:, :9], y)
    selector.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert set(selected(page)) == {f"x{i}" for i in selector.get_support(indices=True)}
    assert "proven among subsets of 3 features" in page.locator("#sums").inner_text()
    signed = bool((selector.redundancy_ < 0).any())
    assert page.locator("#segments").is_visible() == page.locator("#best").is_visible() == (not signed)
    assert ("None is shown: redundancies below 0" in page.locator("#h-whole + .hint").inner_text()) == signed
    assert set(walk(page)) == {3}
    assert set(walk(page, "size")) == set(range(1, 10))
    # Numbers of pairs below zero are those of the problem.
    page.locator("#home").click()
    row = page.locator("#selected tbody tr").first
    i = int(row.locator("th").inner_text().removeprefix("x"))
    told = float(row.locator("td").nth(1).inner_text().replace("\N{MINUS SIGN}", "-"))
    assert told == pytest.approx(selector.redundancy_[i, selector.support_].sum(), abs=6e-4)


def test_the_chart_is_clicked_and_walked_and_marks_the_place(ionosphere, opened):
    page = opened(ionosphere)
    chart = page.locator("#chart")
    before = float(chart.locator(".dot").first.get_attribute("cx"))
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] - 30, "y": 100})
    assert len(selected(page)) == 5
    assert float(chart.locator(".dot").first.get_attribute("cx")) > before
    assert chart.locator(".dot").count() == 3
    chart.focus()
    page.keyboard.press("Home")
    assert len(selected(page)) == 1
    assert "now 1 feature at alpha" in chart.get_attribute("aria-label")
    page.keyboard.press("ArrowUp")
    assert len(selected(page)) == 2
    # The steps of the proof lead there too.
    page.locator("#segments button.go").nth(2).click()
    assert len(selected(page)) == 3
    assert page.locator("#segments tr[aria-current]").get_attribute("data-k") == "3"
    page.locator("#own button.go").first.click()
    assert page.locator("#own tr[aria-current]").count() == 1
    assert len(selected(page)) == 5


def test_the_table_sorts_by_click_and_by_key_and_finds_features(ionosphere, opened):
    page = opened(ionosphere)
    assert [yes == "yes" for yes in column(page, 6)] == [True] * 5 + [False] * 15
    page.get_by_role("button", name="importance").click()
    values = [float(value) for value in column(page, 3)]
    assert values == sorted(values, reverse=True)
    assert page.locator("#features th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="feature", exact=True).focus()
    page.keyboard.press("Enter")
    page.locator("#more").click()
    assert column(page, 2) == [f"pulse {i}" for i in range(34)]
    page.get_by_role("button", name="feature", exact=True).press("Enter")
    assert column(page, 2) == [f"pulse {i}" for i in range(33, -1, -1)]
    page.locator("#filter").fill("PULSE 2")
    assert len(column(page, 2)) == 11
    page.locator("#only").check()
    assert sorted(column(page, 2)) == ["pulse 2", "pulse 20"]
    assert page.locator("#matches").inner_text() == "2 found"


def test_the_numbers_of_the_table_are_those_of_the_problem(ionosphere, opened):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO.paper(k=5).fit(X, y)
    page = opened(ionosphere)
    page.locator("#more").click()
    chosen = np.flatnonzero(selector.support_)
    for cells in page.locator("#features tbody tr").all()[::7]:
        texts = [text.replace("\N{MINUS SIGN}", "-") for text in cells.locator("td, th").all_inner_texts()]
        i = int(texts[0])
        others = chosen[chosen != i]
        repeated = selector.redundancy_[i, others]
        gained = selector.alpha_ * selector.importance_[i] - (1 - selector.alpha_) * repeated.sum()
        assert float(texts[2]) == pytest.approx(selector.importance_[i], abs=6e-5)
        assert float(texts[3]) == pytest.approx(repeated.mean(), abs=6e-4)
        assert float(texts[4]) == pytest.approx(gained, abs=6e-5)


def test_a_good_contribution_is_above_zero_with_a_bar_and_the_best_come_first(ionosphere, opened):
    page = opened(ionosphere)
    page.locator("#more").click()
    values = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(page, 5)]
    assert values == sorted(values, reverse=True)
    assert page.locator("#features th[aria-sort]").inner_text().startswith("contribution")
    selector = SelectQUBO.paper(k=5).fit(*load_ionosphere(return_X_y=True))
    qubo, x = selector.result_.tradeoff.at(selector.alpha_), selector.support_.copy()
    for row in page.locator("#selected tbody tr").all():
        i = int(row.locator("th").inner_text().removeprefix("pulse "))
        without = x.copy()
        without[i] = False
        told = float(row.locator("td").nth(2).inner_text().replace("\N{MINUS SIGN}", "-"))
        assert told == pytest.approx(float(qubo.energy(without) - qubo.energy(x)), abs=6e-5)
        assert told > 0.0
    wide = "rows => rows.map(row => [row.cells[4].className, row.cells[4].style.getPropertyValue('--share')])"
    bars = page.locator("#features tbody tr").evaluate_all(wide)
    assert [kind == "bar gain" for kind, _ in bars] == [value >= 0.0 for value in values]
    largest = max(map(abs, values))
    for value, (_, share) in zip(values, bars, strict=True):
        assert float(share.rstrip("%")) == pytest.approx(100.0 * abs(value) / largest, abs=0.2)


def test_resamples_and_gaps_have_columns_where_they_are_known(opened, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    X = np.where(np.arange(351)[:, None] % 50 == np.arange(6), np.nan, X[:, :6])
    selector = SelectQUBO(k=2).fit(X, y)
    frequency = np.linspace(0.0, 1.0, 6)
    facts = {"stability": Frequencies(frequency, 0.5, 10), "profile": table_profile(X, y)}
    selector.report(tmp_path / "report.html", **facts)
    page = opened(tmp_path / "report.html")
    page.get_by_role("button", name="chosen in resamples").click()
    assert column(page, 8) == [f"{share:.0%}" for share in frequency[::-1]]
    assert set(column(page, 9)) == {"2%"}
    assert page.locator("#bars tbody tr").count() == 6
    assert page.locator("#bars .shape").first.is_visible()


def test_the_map_names_two_features_under_the_pointer_and_by_key(ionosphere, opened):
    page = opened(ionosphere)
    redundancy_map, told = page.locator("#map"), page.locator("#map-value")
    redundancy_map.scroll_into_view_if_needed()
    box = redundancy_map.bounding_box()
    redundancy_map.hover(position={"x": box["width"] - 20, "y": 60})
    pointed = told.inner_text()
    assert pointed.count("pulse") == 2
    assert "redundancy" in pointed
    redundancy_map.focus()
    page.keyboard.press("ArrowDown")
    moved = told.inner_text()
    assert moved != pointed
    assert moved.count("pulse") == 2
    R = SelectQUBO.paper(k=5).fit(*load_ionosphere(return_X_y=True)).redundancy_
    first = page.locator("#pairs li").first.inner_text().split("\n")
    assert float(first[2]) == pytest.approx(R.max(), abs=6e-4)
    assert R[tuple(int(name.removeprefix("pulse ")) for name in first[:2])] == R.max()
    page.locator("#map-set").select_option("now")
    assert page.locator("#pairs li").count() == 6
    redundancy_map.focus()
    page.keyboard.press("ArrowRight")
    assert told.inner_text().count("(selected)") == 2


def test_one_pair_that_is_nearly_the_same_leaves_the_others_their_colours(opened, tmp_path):
    rng = np.random.default_rng(0)
    R = np.triu(rng.uniform(0.1, 0.4, (10, 10)), 1)
    R[0, 1] = 9.0
    write_report(tmp_path / "report.html", best_subset(Tradeoff(np.ones(10), R + R.T), k=3), unit="bits")
    page = opened(tmp_path / "report.html")
    assert page.locator("#map-largest").inner_text() == f"{np.sort(R, axis=None)[-2]:.4g} bits or more"
    pixels = page.evaluate(
        """() => {
          const canvas = document.querySelector("#map canvas"), edge = 176, side = canvas.width - edge - 2;
          const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const middle = (from, i) => Math.floor(from + (i + 0.5) * side / 10);
          const at = (r, c) => [...data.slice(4 * (middle(12, r) * width + middle(edge, c))).slice(0, 4)];
          return Array.from({ length: 10 }, (_, r) => Array.from({ length: 10 }, (_, c) => at(r, c).join()));
        }"""
    )
    light_of = {colour: sum(map(int, colour.split(",")[:3])) for row in pixels for colour in row}
    off = [light_of[pixels[r][c]] for r in range(10) for c in range(10) if r != c]
    # To scale, all but one pair would be of the lightest twentieth.
    assert max(off) - min(off) > 150
    assert np.median(off) < 0.7 * 3 * 255
    assert {pixels[i][i] for i in range(10)} == {"213,218,225,255"}


def test_the_chart_is_as_wide_as_its_section(ionosphere, opened):
    page = opened(ionosphere)
    chart, section = (page.locator(what).bounding_box() for what in ("#chart svg", "#explore"))
    assert chart["width"] > 0.9 * section["width"]
    # Nothing is empty beside it.
    assert chart["y"] >= page.locator("#selected").bounding_box()["y"]


def test_everything_is_reached_by_tab_and_the_focus_is_seen(ionosphere, opened):
    page = opened(ionosphere)
    seen = []
    for _ in range(24):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    wanted = [
        "skip",
        "size",
        "alpha",
        "before",
        "after",
        "home",
        "chart",
        "filter",
        "only",
        "sort",
        "more",
        "map-set",
        "map",
    ]
    assert [seen.index(each) for each in wanted] == sorted(seen.index(each) for each in wanted)


def test_hostile_names_are_only_text(hostile, opened):
    page = opened(hostile)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#evil").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("main #chart svg").count() == 1
    assert page.locator("[onload], [onerror]").count() == 0
    walk(page)
    walk(page, "size")
    names = page.locator("#features tbody bdi").evaluate_all("all => all.map(each => each.textContent)")
    assert sorted(names) == sorted(visible_text(name) or "no name" for name in HOSTILE)
    assert "emoji 🦜 [U+202E]turned" in names
    page.locator("#map").hover(position={"x": 400, "y": 100})
    assert page.evaluate("window.hacked") is None
    assert page.locator("body img").count() == 0
    assert page.title() == HOSTILE[1]
    chips = page.locator(".picked bdi").all_inner_texts()
    assert len(chips) == 4
    assert set(chips) < {" ".join((visible_text(name) or "no name").split()) for name in HOSTILE}
    assert page.locator(".notes li").count() == len(HOSTILE) - 1


@pytest.mark.parametrize("width", [320, 390, 820, 1280])
def test_no_width_makes_the_page_scroll_sideways(ionosphere, hostile, opened, width):
    for file in (ionosphere, hostile):
        page = opened(file, viewport={"width": width, "height": 800})
        page.locator("#more").click() if page.locator("#more").is_visible() else None
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]
        assert page.locator("#chart svg").bounding_box()["width"] <= width


def test_dark_is_dark_and_text_stands_out_in_both(ionosphere, opened):
    grounds = {}
    for scheme in ("light", "dark"):
        page = opened(ionosphere, color_scheme=scheme)
        colour = "which => getComputedStyle(document.querySelector(which[0]))[which[1]]"
        grounds[scheme] = light(page.evaluate(colour, ["section", "backgroundColor"]))
        for what in (".hint", ".verdict strong", "td", ".proven", "button.go", "#segments .left", ".change"):
            ink = light(page.evaluate(colour, [what, "color"]))
            low, high = sorted((ink, grounds[scheme]))
            assert (high + 0.05) / (low + 0.05) >= 4.5, f"{what} in {scheme}"
        pixels = page.evaluate(
            "Array.from(document.querySelector('#map canvas').getContext('2d').getImageData(300, 300, 1, 1).data)"
        )
        grounds[scheme + " map"] = tuple(pixels)
    assert grounds["light"] > 0.9
    assert grounds["dark"] < 0.05
    assert grounds["light map"] != grounds["dark map"]


def test_the_head_stands_out_on_grounds_of_its_own(hostile, opened):
    for scheme in ("light", "dark"):
        page = opened(hostile, color_scheme=scheme)
        style = (
            "which => which.map((what, i) => "
            "getComputedStyle(document.querySelector(what))[i ? 'backgroundColor' : 'color'])"
        )
        for what, ground in (
            (".picked .chip", ".picked .chip"),
            (".lead", "body"),
            (".proof", "body"),
            (".proof strong", "body"),
            (".source", "body"),
            (".tiles .note", ".tiles div"),
            (".notes h2", ".notes"),
            (".notes li", ".notes"),
            (".bars .mark", ".bars tr.is-in > *"),
            (".bars .quiet", ".bars tr.is-in > *"),
        ):
            low, high = sorted(map(light, page.evaluate(style, [what, ground])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, f"{what} in {scheme}"


def light(colour):
    """Return the relative luminance of a colour, as WCAG has it."""
    parts = [float(part) / 255.0 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_printing_shows_tables_whole_on_white_without_controls(ionosphere, opened):
    page = opened(ionosphere, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("#alpha").is_visible()
    assert not page.locator("#filter").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#segments').parentElement).maxHeight")
        == "none"
    )
    assert page.pdf()[:5] == b"%PDF-"


def test_a_picture_of_the_page_can_be_taken(ionosphere, opened):
    picture = opened(ionosphere).screenshot()
    assert struct.unpack(">II", picture[16:24]) == (1280, 900)


def walk(page, slider="alpha"):
    """Move a slider to places from end to end, and return how many features are selected at each."""
    return page.evaluate(
        "id => { const slider = document.getElementById(id); const sizes = [];"
        "const step = Math.max(1, Math.floor(Number(slider.max) / 40));"
        "for (let place = 0; place <= Number(slider.max); place += step) { slider.value = place;"
        "slider.dispatchEvent(new Event('input'));"
        "sizes.push(document.querySelectorAll('#selected tbody tr').length); } return sizes; }",
        slider,
    )


def test_an_excluded_feature_is_said_to_be_and_has_no_numbers(opened, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO(k=3, exclude=[4, 5]).fit(X, y).report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    page.locator("#more").click()
    for head in ("importance", "importance", "contribution", "mean redundancy"):
        page.get_by_role("button", name=head).click()
        rows = page.locator("#features tbody tr").all()[-2:]
        for row, number in zip(rows, ("4", "5"), strict=True):
            dash = "\N{EN DASH}"
            cells = row.locator("td, th").all_inner_texts()
            assert cells == [number, f"x{number}", dash, dash, dash, "excluded", dash]
    assert "all 31 features" in page.locator("#map-set").inner_text()


def test_one_feature_has_sliders_that_go_nowhere_and_look_so(opened, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO(k=1).fit(X[:, 2:3], y).report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert page.locator("h1").inner_text() == "1 of 1 feature selected"
    assert page.locator("#alpha").is_disabled()
    assert page.locator("#size").is_disabled()
    assert not page.locator("#home").is_visible()


def test_what_a_table_hides_is_told_where_it_is(ionosphere, opened):
    proofs = "#segments"
    said = "node => node.parentElement.nextElementSibling.textContent"
    page = opened(ionosphere)
    assert page.locator(proofs).evaluate(said) == "26 rows in all: scroll the table down. "
    phone = opened(ionosphere, viewport={"width": 390, "height": 800})
    assert "More columns to the right" in phone.locator(proofs).evaluate(said)
    page.emulate_media(media="print")
    assert page.locator(".cue:visible").count() == 0
    quiet = opened(ionosphere, java_script_enabled=False)
    hidden = "node => node.parentElement.scrollHeight - node.parentElement.clientHeight"
    assert quiet.locator(proofs).evaluate(hidden) <= 1


def test_a_subset_off_the_path_is_the_best_of_its_size(opened, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    R = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    measures = {
        "importance": importance.Precomputed([10.0, 5.0, 5.0, 5.0]),
        "redundancy": redundancy.Precomputed(R),
    }
    with pytest.warns(OffPathWarning):
        selector = SelectQUBO(k=2, **measures).fit(X[:, :4], y)
    selector.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert selected(page) == ["x1", "x2"]
    assert "proven among subsets of 2 features" in page.locator("#sums").inner_text()
    assert walk(page, "size") == [1, 2, 3, 4]
    page.locator("#home").click()
    assert selected(page) == ["x1", "x2"]


@needs(DATA / "mnist.npz")
def test_digits_of_784_pixels_open_and_move(opened, tmp_path):
    with np.load(DATA / "mnist.npz") as file:
        X, y = file["X"], file["y"]
    SelectQUBO(k=5).fit(X[:3000], y[:3000]).report(tmp_path / "report.html", most=12)
    assert (tmp_path / "report.html").stat().st_size < 1_000_000
    page = opened(tmp_path / "report.html")
    assert page.locator("h1").inner_text() == "5 of 784 features selected"
    assert walk(page, "size") == list(range(1, 13))
    page.locator("#more").click()
    assert page.locator("#features tbody tr").count() == 784


def test_a_wide_table_opens_and_moves(opened, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 2100)) + np.outer(y, np.arange(2100) < 5)
    SelectQUBO(k=4).fit(X, y).report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert page.locator("h1").inner_text() == "4 of 2100 features selected"
    assert len(selected(page)) == 4
    assert walk(page, "size")[:4] == [1, 2, 3, 4]
    page.locator("#home").click()
    assert page.locator("#size-value").inner_text() == "4 of 2100"
    assert "of 2100 features are listed" in page.locator("#h-features + .hint").inner_text()
