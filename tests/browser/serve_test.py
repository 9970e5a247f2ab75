#!/usr/bin/env python3
"""The page of gpx serve in a real browser: typing, completing, running, stopping, two tabs, the
keyboard alone, narrow and dark and printed, hostile texts, a thousand cells.

  tests/browser/serve_test.py GPX [FOLDER]     (FOLDER: keep the pictures there)
"""
import os
import time

from chromium import Browser
from serve_page import CELL, Page, Server, check, run

DOCUMENT = """# How does the latency of loads grow with the number of threads?

param n = 3  # 1..8 step 1

experiment loads "Loads of each thread" {
  sweep threads 32..128 step 32
  < load unique(128B) x n >
  plot latency over threads
}

experiment alone "One load" {
  threads 32
  < load unique(128B) >
}
"""
LONG = """experiment long "Takes its time" {
  sweep threads 32..1024 step 2, n 1..40
  < load unique(128B) x n >
}
"""
HOSTILE = """# <img src=x onerror="document.title='broken'"> [a](javascript:alert(1))

param n = 1  # ["</select><img src=x onerror=alert(1)>", 1]

experiment evil "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>" {
  threads 32
  < load unique(128B) >
}
"""
LAYOUTS = """# A warp writes a tile of 32 x 32 words row by row. Which layout can it read by columns?

param n = 4  # 1..16 step 1

experiment layouts "A column of a tile: rows of 32 words, or of 33" {
  threads 32
  sweep words in [32, 33]
  < load shared stride(words * 4B) x n >
  plot latency over words
}
"""


def test_run(page):
    cell = CELL.format("loads")
    check(page.problems() == [], f"the page opens without an error: {page.problems()}")
    page.value(f"{cell}.querySelector('.run').click()")
    check(page.until(f"{cell}.querySelector('.side canvas') != null"), "Run draws the plot beside the cell")
    check(page.until(f"{cell}.querySelector('.side').innerText.includes('a model, not a measurement')"),
          "what is virtual is called so")
    check(page.until(f"{cell}.dataset.state == 'done'"), "and the cell is done")
    page.value("""(() => { const knob = document.querySelector('input[type=range]');
                  knob.value = 5; knob.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    check(page.until(f"{cell}.dataset.state == 'stale'"), "a slider makes stale what names its parameter")
    check(page.read() == DOCUMENT.replace("n = 3", "n = 6"), "and is in the file, which is the same else")
    alone = CELL.format("alone")
    check(page.value(f"{alone}.dataset.state") == "", "and nothing else")
    page.value("document.getElementById('auto').click()")
    page.value("""(() => { const knob = document.querySelector('input[type=range]');
                  knob.value = 1; knob.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    check(page.until(f"{cell}.dataset.state == 'done'"), "with Rerun on change it runs again")
    check(page.read() == DOCUMENT.replace("n = 3", "n = 2"), "and the file has no other change")
    check(page.value(f"{alone}.dataset.state") == "", "but not what never ran")
    check(page.problems() == [], f"without an error: {page.problems()}")


def test_type(page):
    alone = CELL.format("alone")
    page.value(f"{alone}.cellView.focus()")
    page.value(f"""(() => {{ const view = {alone}.cellView.editor.view, at = view.state.doc.toString().indexOf('  < load');
                    view.dispatch({{selection: {{anchor: at}}}}); }})()""")
    page.type("  rep")
    check(page.until("document.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('repeat')"),
          "completion offers the language's words")
    time.sleep(0.2)  # The editor takes no key for a choice that has just appeared.
    page.press("Enter", 13, text="\r")
    check(page.until(f"{alone}.cellView.text.includes('  repeat')"), "Enter takes one")
    page.type(" 0")
    check(page.until(f"{alone}.querySelector('.state.failed') != null"), "an error is shown as it is typed")
    page.press("Backspace", 8)
    page.type("3\n")
    check(page.until(f"{alone}.querySelector('.state.failed') == null"), "and goes as it is corrected")
    check(page.until("document.getElementById('status').textContent == 'saved'"), "what is typed is saved")
    check("  repeat 3\n" in page.read(), "in the file")
    page.press("Enter", 13, 2)
    check(page.until(f"{alone}.dataset.state == 'done'"), "Ctrl-Enter runs the cell")
    page.value(f"""(() => {{ const view = {alone}.cellView.editor.view;
                    view.dispatch({{selection: {{anchor: view.state.doc.length}}}}); }})()""")
    page.type("\n\nexperiment added { threads 32 < load unique(128B) > }")
    time.sleep(1)
    check(page.value(f"{CELL.format('added')} == null"), "the cell that is typed into is not cut")
    page.value("document.activeElement.blur()")
    check(page.until(f"{CELL.format('added')} != null"), "a second experiment is a cell when the cell is left")


def test_keyboard(page):
    page.value("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = []
    for _ in range(60):
        page.press("Tab", 9)
        seen.append(page.value("(e => (e.id || e.className || e.tagName) + '|' + (e.textContent || '').slice(0, 20))(document.activeElement)"))
    text = " ".join(seen)
    check("run-stale" in text and "|Run" in text and "cm-content" in text, "Tab reaches the page's and the cells' controls")
    check(len(set(seen)) > 12, "and is not caught in an editor")
    page.value(f"{CELL.format('loads')}.cellView.focus()")
    page.press("ArrowDown", 40, 1)
    check(page.value(f"{CELL.format('alone')}.cellView.focused"), "Alt-Down goes to the next cell")
    unnamed = page.value("""[...document.querySelectorAll('button, input, select, [tabindex], [role]')].filter((e) =>
        !e.closest('[hidden]') && !(e.ariaLabel || e.textContent.trim() || e.labels?.length || e.title || e.getAttribute('aria-labelledby')))
        .map((e) => e.outerHTML.slice(0, 100))""")
    check(unnamed == [], f"every control has a name for a screen reader: {unnamed}")
    tree = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")}
    check(("article", "experiment loads") in named and ("textbox", "Text of loads") in named and ("main", "Cells") in named,
          "its tree has the cells and their texts")


def test_two_tabs(page):
    other = Browser()
    try:
        page.open(other)
        cell = CELL.format("loads")
        page.value("""(() => { const knob = document.querySelector('input[type=range]');
                      knob.value = 7; knob.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        end = time.time() + 10
        while time.time() < end and "param n = 8" not in other.value("document.querySelector('.cell[data-kind=parameters]').innerText"):
            time.sleep(0.05)
        check("param n = 8" in other.value("document.querySelector('.cell[data-kind=parameters]').innerText"),
              "another tab sees a change")
        other.value(f"{cell}.querySelector('.run').click()")
        check(page.until(f"['running', 'done'].includes({cell}.dataset.state)"), "and this one the other's run")
    finally:
        other.close()


def test_long(gpx, folder, browser):
    page = Page(gpx, folder, "long", LONG, browser)
    cell = CELL.format("long")
    try:
        page.value(f"{cell}.querySelector('.run').click()")
        check(page.until(f"/points/.test({cell}.querySelector('.notes').innerText)"), "a long run shows its progress")
        page.open()
        check(page.until(f"{cell}.dataset.state == 'running'"), "a page that is opened again shows the run")
        page.value(f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == 'Stop').click()")
        check(page.until(f"[...{cell}.querySelectorAll('button')].some((b) => b.textContent == 'Resume')"), "Stop ends it")
        check(page.until(f"{cell}.querySelector('.side').innerText.includes('Interrupted')"), "and its points are shown")
        page.value(f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == 'Resume').click()")
        check(page.until(f"{cell}.dataset.state == 'running'"), "Resume goes on")
        page.server.kill()
        check(page.until("document.getElementById('notice').innerText.includes('does not answer')"),
              "a page whose server was killed says so")
        time.sleep(1)
        page.server = Server(gpx, page.file, store=os.path.join(folder, "long.db"))
        page.open()
        check(page.until(f"[...{cell}.querySelectorAll('button')].some((b) => b.textContent == 'Resume')"),
              "the next server offers to resume")
        page.value(f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == 'Resume').click()")
        check(page.until(f"{cell}.dataset.state == 'running' && /points/.test({cell}.querySelector('.notes').innerText)"), "and goes on")
    finally:
        page.server.close()


def test_hostile(gpx, folder, browser):
    page = Page(gpx, folder, "hostile", HOSTILE, browser)
    try:
        page.value(f"{CELL.format('evil')}.querySelector('.run').click()")
        page.until(f"{CELL.format('evil')}.dataset.state == 'done'")
        page.until(f"{CELL.format('evil')}.querySelector('.side section') != null")
        check(page.value("document.images.length") == 0, "hostile texts make no element")
        check("broken" not in page.value("document.title"), "and run no script")
        blocked = page.value("""(() => { const s = document.createElement('script'); s.textContent = 'window.inline = 1';
                                document.body.append(s); return window.inline === undefined; })()""")
        check(blocked, "the policy stops a script that gets into the page all the same")
    finally:
        page.server.close()


def test_code(gpx, folder, browser):
    """Which of two layouts of shared memory conflicts, and why."""
    page = Page(gpx, folder, "layouts", LAYOUTS, browser, width=1400, device="gtx780")
    cell = CELL.format("layouts")
    press = "[...%s.querySelectorAll('button')].find((b) => b.textContent == '%s').click()"
    try:
        page.value(press % (cell, "Code"))
        check(page.until(f"{cell}.querySelectorAll('.listing').length == 2", 60), "Code shows PTX and machine code")
        linked = f"[...{cell}.querySelectorAll('.listing [data-origin]')].map((e) => e.textContent).join('|')"
        check(page.until(f"/ld.shared/.test({linked}) && /LDS/.test({linked})"), "their loads are linked to the experiment")
        check(page.until(f"{cell}.querySelectorAll('.cm-line.linked').length > 0"), "whose line has the colour in the editor")
        page.value(f"""(() => {{ const line = [...{cell}.querySelectorAll('.listing [data-origin]')].find((e) => /LDS/.test(e.textContent));
                        line.dispatchEvent(new PointerEvent('pointerover', {{bubbles: true}})); }})()""")
        check(page.value(f"{cell}.querySelectorAll('.cm-line.lit').length") == 1, "pointing at an instruction outlines it")
        before = page.value(linked)
        page.value("""(() => { const knob = document.querySelector('input[type=range]');
                      knob.value = 7; knob.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        check(page.until(f"{linked} != {before!r}", 60), "the code follows what is changed")
        page.value(f"""(() => {{ const select = [...{cell}.querySelectorAll('.code-pane select')].at(-1);
                        select.value = 'arch sm_75'; select.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")
        check(page.until(f"/lines differ/.test({cell}.querySelector('.listings .compared')?.innerText ?? '')", 60), "two architectures are compared")
        page.value(press % (cell, "Run"))
        check(page.until(f"{cell}.querySelector('.side canvas') != null", 60), "and the cell runs")
        check(page.problems() == [], f"without an error: {page.problems()}")
        time.sleep(0.5)
        page.browser.picture(os.path.join(folder, "serve-code.png"))
    finally:
        page.server.close()


def test_share(gpx, folder, browser):
    page = Page(gpx, folder, "share", DOCUMENT, browser)
    try:
        page.value("document.getElementById('share').open = true")
        check(page.until("document.querySelector('#share input').value.includes('#source=')"), "Share gives a link")
        link = page.value("document.querySelector('#share input').value")
        with open(page.file, "w") as file:
            file.write("# empty\n")
        browser.visit(page.server.url + "#" + link.split("#")[1], ready="live")
        check(page.until("document.getElementById('notice').innerText.includes('experiment loads')"),
              "which shows its text on another page")
        check("loads" not in page.read(), "and adds nothing by itself")
        page.value("[...document.querySelectorAll('#notice button')].find((b) => b.textContent.startsWith('Add')).click()")
        check(page.until(f"{CELL.format('alone')} != null || document.getElementById('status').textContent == 'saved'"), "only on request")
        time.sleep(1)
        check("experiment loads" in page.read(), "into the file")
        page.value("document.getElementById('gallery').open = true")
        check(page.until("[...document.querySelectorAll('#gallery button')].length > 50"), "the gallery has its examples")
        page.value("[...document.querySelectorAll('#gallery button')].find((b) => b.textContent.includes('bank conflict')).click()")
        check(page.until("document.getElementById('status').textContent == 'saved'"), "one of which is added")
        time.sleep(1)
        check("bank_conflicts" in page.read(), "into the file, too")
    finally:
        page.server.close()


def test_thousand(gpx, folder, browser):
    text = "".join(f"experiment e{i} {{\n  threads 32\n  < load unique(128B) x {i % 7 + 1} >\n}}\n\n" for i in range(1000))
    begun = time.time()
    page = Page(gpx, folder, "thousand", text, browser)
    try:
        print(f"      1,000 cells open in {time.time() - begun:.1f} s")
        check(page.value("document.querySelectorAll('.cell').length") == 1000, "1,000 cells are 1,000 cells")
        check(page.value("document.querySelectorAll('.cm-editor').length") < 60, "few of them have an editor")
        page.value(f"{CELL.format('e900')}.scrollIntoView()")
        check(page.until(f"{CELL.format('e900')}.querySelector('.cm-editor') != null"), "one gets it when it is seen")
    finally:
        page.server.close()


def test_looks(page, folder):
    for name, look in (("light", {"width": 1300}), ("dark", {"width": 1300, "dark": True}), ("phone", {"width": 320})):
        page.open(**look)
        page.until("document.querySelector('.side canvas') != null")
        time.sleep(0.5)
        over = page.value("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"the page fits {look['width']} pixels ({name}): {over} over")
        page.browser.picture(os.path.join(folder, f"serve-{name}.png"))
    page.browser.call("Emulation.setEmulatedMedia", {"media": "print"})
    shown = page.value("getComputedStyle(document.querySelector('.mounted .plain')).display")
    check(shown == "block", "a printed page has the whole texts")
    check(page.value("getComputedStyle(document.querySelector('.cell-head button')).display") == "none", "and no buttons")
    page.browser.call("Emulation.setEmulatedMedia", {"media": ""})


def test_all(gpx, folder, browser):
    page = Page(gpx, folder, "page", DOCUMENT, browser)
    try:
        size = page.value("performance.getEntriesByType('resource').reduce((sum, e) => sum + e.encodedBodySize, 0)")
        check(size < 1.5e6, f"all of the page has {size} bytes, at most 1.5 MB")
        test_run(page)
        test_type(page)
        test_keyboard(page)
        test_two_tabs(page)
        test_looks(page, folder)
    finally:
        page.server.close()
    test_long(gpx, folder, browser)
    test_hostile(gpx, folder, browser)
    test_code(gpx, folder, browser)
    test_share(gpx, folder, browser)
    test_thousand(gpx, folder, browser)


if __name__ == "__main__":
    run(test_all)
