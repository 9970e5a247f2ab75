#!/usr/bin/env python3
"""The picture of the live page in the README.

  tests/browser/serve_picture.py GPX PICTURE.png [dark]
"""
import os
import sys
import tempfile
import time

from chromium import Browser
from serve_page import CELL, Page

DOCUMENT = """param n = 2  # 1..16 step 1

experiment column "A column of a tile: rows of 32 or 33 words" {
  threads 32
  sweep n_loads in [1, n, 2 * n]
  measure rows_of_32 { < load shared stride(128B) x n_loads > }
  measure rows_of_33 { < load shared stride(132B) x n_loads > }
  plot latency over n_loads by measure
}
"""


def main():
    gpx, picture = os.path.abspath(sys.argv[1]), sys.argv[2]
    browser = Browser()
    with tempfile.TemporaryDirectory() as folder:
        page = Page(gpx, folder, "tile", DOCUMENT, browser, device="gtx780", width=1000, height=1370,
                    dark="dark" in sys.argv)
        cell = CELL.format("column")
        try:
            for name in ("Code", "Run"):
                page.value(f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == '{name}').click()")
            page.until(f"{cell}.querySelectorAll('.listing').length == 2", 60)
            page.value(f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == 'PTX').click()")
            page.until(f"{cell}.querySelector('.side canvas')", 60)
            page.value(f"""(() => {{ const compare = [...{cell}.querySelectorAll('.code-pane select')].at(-1);
                            compare.value = 'point'; compare.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")
            page.until(f"{cell}.querySelectorAll('.code-pane input[type=range]').length == 2", 60)
            page.value(f"""(() => {{ const first = {cell}.querySelector('.code-pane input[type=range]');
                            first.value = 2; first.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
            page.until(f"/the same in both/.test({cell}.querySelector('.listings').innerText)", 60)
            page.value(f"{cell}.querySelector('.listings').lastChild.querySelector('[data-origin]')"
                       ".dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
            time.sleep(1)
            browser.picture(picture)
            print(f"{os.path.getsize(picture)} bytes")
        finally:
            page.server.close()
            browser.close()


if __name__ == "__main__":
    main()
