#!/usr/bin/env python3
"""A report in a real browser: it opens without an error and without a network, the pointer and the
keyboard read values, zoom works, it fits a phone, and a large one opens within a second.

  tests/browser/report_test.py GPX [FOLDER]     (FOLDER: keep the pages and their pictures there)
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from chromium import Browser

SMALL = """experiment first "</script><img src=x onerror=alert(1)>" {
  sweep n 1..2, threads 32..512 step 16
  < load unique(128B) x n >
  plot latency, neighbour_variance over threads by n
}
"""
CHASE = """experiment chased "Accesses of a chase" {
  sweep size in [4KB, 8KB, 16KB, 32KB]
  array a : global[size] chase(stride 128B)
  < load a x 64 chain >
  observe each
}
"""
STAMPS = """experiment stamps "Stamps" {
  threads 64
  blocks 16
  < stamp begin; add.u32 x 64 chain; stamp end >
  observe timeline
}
"""
# Of all words in drawings that are on the screen, the height of the smallest letters in pixels.
SMALLEST = """Math.min(99, ...[...document.querySelectorAll('svg text')]
  .filter((t) => t.getBoundingClientRect().width > 0)
  .map((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))"""
failures = []


def check(truth, what):
    print(("ok    " if truth else "FAIL  ") + what)
    if not truth:
        failures.append(what)


def page_of(gpx, folder, name, text, device="k20"):
    source = os.path.join(folder, name + ".gpx")
    with open(source, "w") as file:
        file.write(text)
    page = os.path.join(folder, name + ".html")
    subprocess.run([gpx, "run", source, "--device", device, "--quiet", "--report", page, "--json",
                    os.path.join(folder, name + ".json")], check=True)
    return page


def large_document(small, folder):
    """A run of 10,000 points: the document of a small one, with other samples."""
    rows = [[n, t, 400 + 37 * n + t / 7 + (t * 7919 % 13) / 3, (t * 31 % 97) / 9] for n in range(1, 5)
            for t in range(2500)]
    samples = {"columns": ["n", "threads", "repetition", "latency"], "units": ["", "", "", "clocks"],
               "roles": ["axis", "axis", "repetition", "observed"],
               "rows": [[n, t, r, y] for n, t, y, _ in rows for r in range(3)]}
    curves = {"columns": ["n", "threads", "latency", "neighbour_variance"], "units": ["", "", "clocks", ""],
              "roles": ["axis", "axis", "observed", "observed"], "rows": rows}
    with open(small) as file:
        document = json.load(file)
    document["sources"] = []  # The axes are those of the samples.
    document["experiments"][0].update(name="large", samples=samples, curves=curves)
    path = os.path.join(folder, "large.json")
    with open(path, "w") as file:
        json.dump(document, file)
    return path


def test_small(browser, page):
    browser.open(page)
    check(browser.problems() == [], f"no error, nothing fetched: {browser.problems()}")
    check("onerror" in browser.value("document.querySelector('.title').textContent"),
          "a hostile title is text")
    check(browser.value("document.images.length") == 0, "and makes no element")
    check(browser.value("document.querySelectorAll('canvas').length") == 2, "two panels are drawn")
    check("a model, not a measurement" in browser.value("document.body.innerText"),
          "what is virtual is called so")
    area = browser.box(".panels .u-over")
    browser.mouse("mouseMoved", area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    said = browser.value("document.querySelector('.readout').textContent")
    check("threads 272" in said and "latency n=1: " in said and "neighbour_variance n=2: " in said,
          f"the pointer reads all curves at its place: {said}")
    test_zoom(browser, area)
    test_keys(browser)
    test_scale(browser, page)


def test_scale(browser, page):
    """Curves, pointer and text have one scale, also after the window has another width."""
    for width in (1200, 320, 700):
        browser.open(page, 1000)
        browser.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        time.sleep(0.3)
        check(browser.stretched("figure") == 0, f"{width} pixels: plots have the whole width, and no text is stretched")
        for (said, away), wanted in zip(browser.ends_of_plot("figure"), ("threads 32 ", "threads 512 ")):
            check(said.replace("latency", " latency").startswith(wanted) and away < 3,
                  f"{width} pixels: the pointer reads the point under it: {said[:40]}, {away:.1f} pixels away")


def shown(browser):
    return [browser.value(f"document.querySelector('.panels').dataset.{end}") for end in ("low", "high")]


def test_zoom(browser, area):
    y = area["y"] + area["height"] / 2
    at = [area["x"] + area["width"] * part for part in (0.25, 0.5, 0.75)]
    browser.mouse("mousePressed", at[0], y, 1)
    browser.mouse("mouseMoved", at[1], y)
    browser.mouse("mouseMoved", at[2], y)
    browser.mouse("mouseReleased", at[2], y, 1)
    low, high = map(float, shown(browser))
    check(145 < low < 160 and 385 < high < 400, f"a drag shows what was marked: {low} to {high}")
    for count in (1, 2):
        browser.mouse("mousePressed", at[1], y, count)
        browser.mouse("mouseReleased", at[1], y, count)
    check(shown(browser) == [None, None], "a double click shows all")
    browser.value("document.querySelector('[aria-label=\"Zoom in\"]').click()")
    low, high = map(float, shown(browser))
    check((low, high) == (152, 392), f"a button zooms around the middle: {low} to {high}")
    browser.value("document.querySelector('[aria-label=\"Show all\"]').click()")
    check(shown(browser) == [None, None], "a button shows all")
    browser.value("document.querySelector('[aria-label=\"Logarithmic y axes\"]').click()")
    check(browser.problems() == [], "logarithmic axes without an error")


def test_keys(browser):
    browser.value("document.querySelector('.panels').focus()")
    browser.key("Home")
    browser.key("ArrowRight")
    said = browser.value("document.querySelector('.said').textContent")
    check(said.startswith("threads 48"), f"arrow keys say the values: {said}")
    browser.key("+")
    check(shown(browser) != [None, None], "a key zooms")
    browser.key("0")
    check(shown(browser) == [None, None], "and 0 shows all")
    browser.value("document.querySelector('.keys button').click()")
    check(browser.value("document.querySelector('.keys button').ariaPressed") == "false",
          "a curve can be hidden")
    browser.value("document.querySelector('details.data').open = true")
    time.sleep(0.1)
    rows = browser.value("document.querySelectorAll('details.data tbody')[0].rows.length")
    check(rows == 31, f"a table of the data stands behind the plot: {rows} rows")


def test_page(browser, page, name, folder):
    for look, width, dark, media in (("light", 1200, False, "screen"), ("dark", 1200, True, "screen"),
                                     ("phone", 390, False, "screen"), ("small", 320, False, "screen"),
                                     ("paper", 780, True, "print")):
        browser.open(page, width, 900, dark, media=media)
        over = browser.value("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"{name} fits {width} pixels ({look}): {over} over")
        check(browser.problems() == [], f"{name}, {look}: no error: {browser.problems()}")
        check(browser.value(SMALLEST) >= 7.5, f"{name}, {look}: drawn words of {browser.value(SMALLEST):.1f} pixels")
        browser.picture(os.path.join(folder, f"{name}-{look}.png"), True)
    check(browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)",
          f"{name}: paper is white")
    cut = browser.value("""[...document.querySelectorAll('.scroll, .grid')]
      .filter((each) => each.scrollWidth > document.body.clientWidth).length""")
    check(cut == 0, f"{name}: paper cuts nothing off: {cut} are too wide")


def test_overlay(browser, page):
    browser.open(page)
    colours = browser.value("""JSON.parse(document.querySelector('figure script').textContent)
      .panels[0].curves.map((curve) => [curve.run, curve.colour])""")
    check(len({run for run, _ in colours}) == 2 and all(run == colour for run, colour in colours),
          f"two devices have two colours: {colours}")


def test_characterization(browser, gpx, folder):
    page = os.path.join(folder, "fig4.html")
    subprocess.run([gpx, "characterize", "--device", "fig4", "--only", "global,constant", "--quiet",
                    "--no-store", "--report", page], check=True)
    test_page(browser, page, "fig4", folder)
    browser.open(page)
    order = browser.value("[...document.querySelectorAll('main > section')].map((s) => s.id)")
    check(order[:3] == ["summary", "memory", "e1"], f"a summary first: {order}")
    broken = browser.value("""[...document.querySelectorAll('#summary a')]
      .filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).length""")
    check(broken == 0, f"every finding leads to its evidence: {broken} lead nowhere")
    check(browser.value("[...document.querySelectorAll('.about td')].every((td) => td.textContent.trim())"),
          "no fact about the run is empty")
    about = browser.value("document.querySelector('header').innerText")
    check(all(word in about for word in ("a model, not a measurement", "build", "seed", "gpx characterize --device fig4")),
          f"the head says what the page is, and which command made it: {about}")
    check("Characterization of the virtual GPU fig4" in browser.value("document.querySelector('.cite').innerText"),
          "and how to cite it")
    shown = "getComputedStyle(document.querySelector('#memory .%s')).display"
    check([browser.value(shown % part) for part in ("wide", "narrow")] == ["block", "none"],
          "the hierarchy is drawn")
    browser.open(page, 320, 900)
    check([browser.value(shown % part) for part in ("wide", "narrow")] == ["none", "block"],
          "and a list on a narrow screen")



def test_heat(browser, page):
    browser.open(page)
    box = browser.box(".heat canvas")
    browser.mouse("mouseMoved", box["x"] + 3, box["y"] + box["height"] - 3)
    said = browser.value("document.querySelector('.heat .readout').textContent")
    check(said.startswith("access 0, size 4 KB: latency "), f"a heat map reads its cells: {said}")


def main():
    gpx = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpx-report-")
    os.makedirs(folder, exist_ok=True)
    browser = Browser()
    try:
        small = page_of(gpx, folder, "small", SMALL)
        test_small(browser, small)
        test_page(browser, small, "small", folder)
        chase = page_of(gpx, folder, "chase", CHASE, "gtx780")
        test_heat(browser, chase)
        test_page(browser, chase, "chase", folder)
        test_page(browser, page_of(gpx, folder, "stamps", STAMPS), "stamps", folder)
        both = os.path.join(folder, "both.html")
        other = page_of(gpx, folder, "other", SMALL, "m2070").replace(".html", ".json")
        subprocess.run([gpx, "report", small.replace(".html", ".json"), other, "-o", both], check=True)
        test_page(browser, both, "both", folder)
        test_overlay(browser, both)
        test_characterization(browser, gpx, folder)
        large = os.path.join(folder, "large.html")
        subprocess.run([gpx, "report", large_document(os.path.join(folder, "small.json"), folder), "-o", large], check=True)
        size, seconds = os.path.getsize(large), min(browser.open(large) for _ in range(3))
        check(size <= 1e6, f"a report of 10,000 points has {size} bytes, at most 1 MB")
        print(f"      it opens in {seconds:.2f} s")
    finally:
        browser.close()
    print(f"{len(failures)} failed; pages and pictures in {folder}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
