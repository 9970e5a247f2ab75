#!/usr/bin/env python3
"""An atlas in a real browser: its pages open from files without a server, an error or a network; they fit
320 pixels, work by keyboard, and compare.html sets any two boards side by side.

  tests/browser/atlas_test.py GPX [FOLDER]     (FOLDER: keep the site and its pictures there)
"""
import glob
import os
import subprocess
import sys
import tempfile
import time

from chromium import Browser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STORES = [os.path.join(ROOT, "docs", "atlas", name) for name in ("h100.db", "h200.db")]
LARGEST = 500 * 1000
failures = []


def check(truth, what):
    print(("ok    " if truth else "FAIL  ") + what)
    if not truth:
        failures.append(what)


def test_page(browser, site, page, folder):
    name = page.replace("/", "-").removesuffix(".html")
    for look, width, dark in (("light", 1200, False), ("dark", 1200, True), ("small", 320, False)):
        opened = browser.open if page == "compare.html" else browser.open_plain
        opened(os.path.join(site, page), width, 900, dark)
        over = browser.value("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"{page} fits {width} pixels ({look}): {over} over")
        check(browser.problems() == [], f"{page}, {look}: no error, nothing fetched: {browser.problems()}")
        styled = browser.value("getComputedStyle(document.querySelector('main')).display === 'block' && "
                               "getComputedStyle(document.body).maxWidth === '1080px'")
        check(styled, f"{page}, {look}: its style is read from beside it")
        browser.picture(os.path.join(folder, f"{name}-{look}.png"), True)


def test_compare(browser, site):
    page = os.path.join(site, "compare.html")
    browser.open(page)
    check("Choose two boards" in browser.value("document.querySelector('#status').textContent"),
          "compare.html asks for two boards")
    files = browser.value("[...document.querySelectorAll('#boards option')].length")
    check(files == len(glob.glob(os.path.join(site, "boards", "*.html"))), f"it offers all {files} boards")
    names = [os.path.basename(path)[:-5] for path in sorted(glob.glob(os.path.join(site, "boards", "boards.md*H100*.html")))]
    browser.value(f"location.hash = '#{names[0]},{names[1]}'")
    for _ in range(100):
        if browser.value("document.querySelector('#result table') !== null"):
            break
        time.sleep(0.05)
    said = browser.value("document.querySelector('#status').textContent")
    rows = browser.value("document.querySelectorAll('#result tbody tr').length")
    check("findings," in said and rows > 5, f"two boards stand side by side: {said} {rows} rows")
    browser.value("document.querySelector('#different').focus()")
    browser.key(" ")
    fewer = browser.value("document.querySelectorAll('#result tbody tr').length")
    check(fewer < rows, f"a key hides what is alike: {fewer} rows")
    check(browser.problems() == [], f"no error: {browser.problems()}")


def test_keyboard(browser, site):
    browser.open_plain(os.path.join(site, "index.html"))
    browser.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Tab", "windowsVirtualKeyCode": 9})
    focus = browser.value("document.activeElement.className")
    check(focus == "skip", f"the first key leads past the navigation: {focus}")
    reached = browser.value("[...document.querySelectorAll('a, .scroll, input, summary')]"
                            ".every((one) => one.tabIndex >= 0)")
    check(reached, "everything that can be used is reached by keys")


def main():
    gpx = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpx-atlas-")
    site = os.path.join(folder, "site")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([gpx, "atlas", *STORES, "-o", site], check=True)
    sizes = {path: os.path.getsize(path) for path in glob.glob(site + "/**/*.html", recursive=True)}
    largest = max(sizes, key=sizes.get)
    check(sizes[largest] <= LARGEST, f"no page of {len(sizes)} is larger than 500 kB: {largest}, {sizes[largest]}")
    browser = Browser()
    try:
        for page in ("index.html", "devices/NVIDIA-H100-80GB-HBM3.html", "findings/index.html", "compare.html",
                     "findings/boards.tlb.miss.latency.html", "boards/boards.md-H100-09.html",
                     "boards/h100_findings.csv.html"):
            test_page(browser, site, page, folder)
        test_compare(browser, site)
        test_keyboard(browser, site)
    finally:
        browser.close()
    print(f"{len(failures)} failed; pages and pictures in {folder}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
