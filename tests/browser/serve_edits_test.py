#!/usr/bin/env python3
"""Edits on the page of gpx serve in a real browser: plots have one scale, failed runs and stale results
are told apart, deletions are taken back, completion stays out of the way, and files are followed.

  tests/browser/serve_edits_test.py GPX [FOLDER]     (FOLDER: keep the pictures there)
"""
import os
import time

from serve_page import CELL, Page, check, run

LAYOUTS = """param n = 4  # 1..8 step 1

# Rows of a tile in shared memory.
experiment layouts "A column of a tile" {
  threads 32
  sweep words in [32, 33, 1, 2, 4, 8, 16]
  < load shared stride(words * 4B) x n >
  plot latency over words
}

experiment other "Loads" {
  threads 32
  < load unique(128B) >
}
"""
KERNEL = """experiment scaled "A kernel from a file" {
  param n = 2048
  threads 128
  blocks n / threads
  kernel mine from "scale.cu" entry scale(x = buffer(4B * n, index), f = 2, n = n)
  < run mine >
}
"""
SCALE = """__global__ void scale(float* x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * f;
}
"""


def button(cell, text):
    return f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == '{text}')"


def edit(page, cell, old, new):
    """As somebody types it."""
    page.value(f"{cell}.cellView.focus()")
    page.value(f"""(() => {{ const view = {cell}.cellView.editor.view, at = view.state.doc.toString().indexOf({old!r});
                    view.dispatch({{selection: {{anchor: at, head: at + {len(old)}}}}}); }})()""")
    page.type(new)


def test_plot(page):
    cell = CELL.format("layouts")
    page.value(button(cell, "Run") + ".click()")
    check(page.until(f"{cell}.dataset.state == 'done' && {cell}.querySelector('.side canvas')", 60), "a cell runs")
    for width in (1300, 320):
        page.browser.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        time.sleep(0.4)
        check(page.browser.stretched(".side") == 0, f"{width} pixels: a plot has the whole width, and no text is stretched")
        (left, _), (right, away) = page.browser.ends_of_plot(".side")
        check(left.startswith("words 1latency") and right.startswith("words 33latency: 155 clocks") and away < 3,
              f"{width} pixels: the pointer reads the point under it: {left}; {right}; {away:.1f} pixels away")
    page.browser.call("Emulation.setDeviceMetricsOverride", {"width": 1300, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    said = page.value(f"{cell}.querySelector('.extremes').innerText")
    check("words=33: 155 clocks" in said or "words=1: 155 clocks" in said, f"a line tells which point has which value: {said}")
    check("greatest at words=32: 1115 clocks; 7.2x" in said, "the greatest one, too")
    line = page.value(f"getComputedStyle({cell}.querySelector('.cm-lineNumbers')).display")
    check(line != "none", "lines have numbers")


def test_failure(page):
    cell = CELL.format("layouts")
    edit(page, cell, "load shared", "laod shared")
    check(page.until(f"{cell}.dataset.state == 'stale'"), "a typo makes the result stale")
    page.value(button(cell, "Run") + ".click()")
    check(page.until(f"{cell}.dataset.state == 'failed'", 30), "its run fails")
    badge = page.value(f"(e => [e.textContent, getComputedStyle(e).color])({cell}.querySelector('.state'))")
    check(badge[0] == "failed" and badge[1] == page.value(f"getComputedStyle({cell}.querySelector('.failure')).color"), f"in red: {badge}")
    notes = page.value(f"{cell}.querySelector('.notes').innerText")
    check("line 5 of layouts, column 5" in notes and "<stdin>" not in notes, f"the error names the line of the cell: {notes[:60]}")
    check("before the error" in notes and page.value(f"{cell}.querySelector('.report').classList.contains('is-stale')"),
          "what is below is grey, and called a result from before")
    page.value(button(cell, "Code") + ".click()")
    check(page.until(f"{cell}.querySelector('.code-pane')?.innerText.includes('the cell has an error')", 30), "Code does not repeat the error")
    page.value(button(cell, "Code") + ".click()")
    edit(page, cell, "laod shared", "load shared")
    check(page.until(f"{cell}.dataset.state == 'done'", 30), "without the typo the result is of the text again")
    check(page.value(f"{cell}.querySelectorAll('.notes .failure').length") == 0, "and the error is gone")
    page.value("document.getElementById('run-stale').click()")
    check(page.until(f"{CELL.format('other')}.dataset.state == 'done'", 30), "what has no result runs")
    page.value("document.getElementById('run-stale').click()")
    check(page.until("document.getElementById('status').textContent.startsWith('Nothing to run')"), "and then nothing is left to run")


def test_completion(page):
    cell = CELL.format("other")
    text = page.value(f"{cell}.cellView.text")
    edit(page, cell, "threads 32", "threads 64")
    time.sleep(0.6)
    check(page.value("document.querySelector('.cm-tooltip-autocomplete') == null"), "a number is not completed to a size")
    page.press("Enter", 13, text="\r")
    check("threads 64\n" in page.value(f"{cell}.cellView.text"), "and Enter leaves it as it is")
    page.type("re")
    page.until("document.querySelector('.cm-tooltip-autocomplete')")
    page.press("Enter", 13, 2)  # Ctrl-Enter.
    check(page.until("document.querySelector('.cm-tooltip-autocomplete') == null", 5), "Ctrl-Enter closes the completions")
    page.value(f"(view => view.dispatch({{selection: {{anchor: 0, head: view.state.doc.length}}}}))({cell}.cellView.editor.view)")
    page.type(text)
    check(page.until(f"{cell}?.cellView.text == {text!r}"), "and nothing was accepted")


def test_deletion(page):
    first = CELL.format("layouts")
    edit(page, first, "Rows of", "Some rows of")
    page.until("document.getElementById('status').textContent == 'saved'")
    before = page.read()
    page.value(f"{CELL.format('other')}.querySelector('[aria-label^=Delete]').click()")
    check(page.until(f"{CELL.format('other')} == null"), "a cell is deleted")
    place = page.value("(box => [box.top, box.bottom, innerHeight])(document.querySelector('.deleted').getBoundingClientRect())")
    check(0 <= place[0] and place[1] <= place[2], f"Undo is where one looks: {place}")
    page.press("z", 90, 2)
    check(page.until(f"{CELL.format('other')} != null"), "Ctrl-Z takes it back")
    page.value("document.activeElement.blur()")
    check(page.until("document.getElementById('status').textContent == 'saved'"), "into the file")
    check(page.until("true") and page.read() == before, "in which no other edit is undone")


def test_devices_menu(page):
    page.value("document.getElementById('devices').open = true")
    names = page.value("[...document.querySelectorAll('#devices input')].map((box) => box.value)")
    check(len(names) == len(set(names)), "each device is offered once")
    check(page.value("document.querySelector('#devices input').checked"), "the chosen one first")
    page.value("document.querySelector('#devices input[value=auto]').click()")
    check(page.value("[...document.querySelectorAll('#devices input')].filter((box) => box.checked).length") == 1, "as written is chosen alone")
    page.value("document.getElementById('devices').open = false")
    for menu in ("devices", "gallery", "share", "help"):
        page.value(f"document.getElementById('{menu}').open = true")
        time.sleep(0.2)
        over = page.value(f"document.querySelector('#{menu} > div').getBoundingClientRect().right - innerWidth")
        check(over <= 0, f"the menu {menu} is within the window: {over} over")
        page.value(f"document.getElementById('{menu}').open = false")


def test_files(gpx, folder, browser):
    with open(os.path.join(folder, "scale.cu"), "w") as file:
        file.write(SCALE)
    page = Page(gpx, folder, "scaled", KERNEL, browser, device="k20", width=1300)
    cell = CELL.format("scaled")
    pane = f"{cell}.querySelector('[aria-label=\"Kernel file scale.cu\"]')"
    try:
        page.value(button(cell, "Run") + ".click()")
        check(page.until(f"{cell}.dataset.state == 'done'", 60), "a kernel from a file runs")
        page.value(button(cell, "Code") + ".click()")
        check(page.until(f"/mul.f32/.test({cell}.querySelector('.code-pane .listings')?.innerText ?? '')", 60), "Code shows its PTX")
        check(page.value(f"[...{cell}.querySelectorAll('.code-pane button')].filter((b) => !b.hidden).map((b) => b.textContent).join()") == "CUDA,PTX,SASS",
              "and no form that it has not")
        check(page.value(f"/PTX for sm_\\d+/.test({cell}.querySelector('.code-pane figcaption').innerText)"), "with the architecture in the title")
        with open(os.path.join(folder, "scale.cu"), "w") as file:
            file.write(SCALE.replace("x[i] * f", "x[i] + f"))
        check(page.until(f"{cell}.dataset.state == 'stale'", 10), "a change of the file makes the result stale")
        check(page.until(f"/add.f32/.test({cell}.querySelector('.code-pane .listings').innerText)", 30), "and Code follows it")
        page.value(button(cell, "Code") + ".click()")
        page.value(button(cell, "scale.cu") + ".click()")
        check(page.until(f"/FADD/.test({pane}?.querySelector('.listing pre').innerText ?? '')", 60), "the file opens beside the cell")
        values = page.value(f"[...{pane}.querySelectorAll('form input[type=text]')].map((one) => one.value).join('|')")
        check(values == "scale|16|128||||f=2 n=2048|x=8KB:index", f"the form has evaluated values: {values}")
        page.value(f"{pane}.querySelector('form').requestSubmit()")
        check(page.until(f"{pane}.querySelector('.prediction details')", 60), "which predict")
        page.value(f"""(() => {{ const fields = {pane}.querySelectorAll('form input[type=text]');
                        fields[7].value = 'x'; {pane}.querySelector('form').requestSubmit(); }})()""")
        check(page.until(f"/buffers: x/.test({pane}.querySelector('.prediction .failure')?.innerText ?? '')", 60), "an error names the field of the form")
        check("--" not in page.value(f"{pane}.querySelector('.prediction .failure').innerText"), "and no option of a command")
        page.browser.picture(os.path.join(folder, "serve-files.png"))
        problems = [one for one in page.problems() if "400" not in one]  # The field that was wrong.
        check(problems == [], f"without an error: {problems}")
    finally:
        page.server.close()


def test_all(gpx, folder, browser):
    page = Page(gpx, folder, "edits", LAYOUTS, browser, device="gtx780", width=1300)
    try:
        test_plot(page)
        test_failure(page)
        test_completion(page)
        test_deletion(page)
        test_devices_menu(page)
        page.browser.picture(os.path.join(folder, "serve-edits.png"))
        check(page.problems() == [], f"without an error: {page.problems()}")
    finally:
        page.server.close()
    test_files(gpx, folder, browser)


if __name__ == "__main__":
    run(test_all)
