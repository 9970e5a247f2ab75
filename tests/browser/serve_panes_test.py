#!/usr/bin/env python3
"""The panes of the page of gpx serve in a real browser: plots that grow, comparisons of results and of
code, evidence, timelines, traces, predictions; the keyboard alone; hostile texts in each of them.

  tests/browser/serve_panes_test.py GPX [FOLDER]     (FOLDER: keep the pictures there)
"""
import base64
import os
import shutil
import time

from serve_page import CELL, Page, check, run

LONG = """experiment long "Loads of each thread" {
  sweep threads 32..1024 step 2, lines 1..20
  < load unique(128B) x lines >
  plot latency over threads
}
"""
LAYOUTS = """# A warp writes a tile of 32 x 32 words row by row. Which layout can it read by columns?

experiment layouts "A column of a tile: rows of 32 words, or of 33" {
  threads 32
  sweep words in [32, 33]
  repeat 3
  < load shared stride(words * 4B) x 4 >
  plot latency over words
}

experiment other "Rows of 34 or 48 words" {
  threads 32
  sweep words in [34, 48]
  repeat 3
  < load shared stride(words * 4B) x 2 >
  plot latency over words
}
"""
CACHE = """experiment cache "The L1 of Fermi" {
  sweep    size 15KB..25KB step 1KB
  array    a : global[size] chase(stride 128B)
  rehearse 2
  observe  average
  < load a cache ca x (8 * size / 128B) chain >
  analyze  cache(cache = "ca", level = "l1")
  plot     latency over size
}
"""
STAMPS = """experiment stamps "The paths of a warp" {
  threads 64
  observe timeline
  < diverge lane over 0..31 { stamp begin; add.u32 x32 chain; stamp end } >
}
"""
KERNEL = """experiment transposition "A transposition through shared memory" {
  threads 256
  blocks 4
  kernel mine from "transposition.cu" define PAD = 0 entry transpose_shared(out = buffer(16KB, zero), in = buffer(16KB, index), n = 64)
  < run mine >
}
"""
HOSTILE = """experiment evil "</script><img src=x onerror=document.title='broken'>" {
  threads 32
  sweep words in [1, 2]
  < load shared stride(words * 4B) >
}

experiment twin "<b onmouseover=alert(1)>" {
  threads 32
  sweep words in [1, 2]
  < load shared stride(words * 4B) >
}
"""
HERE = os.path.dirname(os.path.abspath(__file__))


def button(cell, text):
    return f"[...{cell}.querySelectorAll('button')].find((b) => b.textContent == '{text}')"


def choose(page, select, value):
    page.value(f"""(() => {{ const select = {select}; select.value = '{value}';
                    select.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")


def test_live(gpx, folder, browser):
    page = Page(gpx, folder, "live", LONG, browser)
    cell = CELL.format("long")
    points = f"Number((/over (\\d+) points/.exec({cell}.querySelector('.report').innerText) ?? [0, 0])[1])"
    try:
        page.value(button(cell, "Run") + ".click()")
        check(page.until(f"{cell}.querySelector('.side canvas')"), "a plot is there before its run has ended")
        check(page.value(f"{cell}.dataset.state") == "running", "while the run goes on")
        seen = page.value(points)
        page.value(f"(() => {{ const log = {button(cell, 'log y')}; log.focus(); log.click(); }})()")
        check(page.until(f"{points} > {seen}"), "and it grows")
        check(page.value(f"{button(cell, 'log y')}.getAttribute('aria-pressed')") == "true", "with the scale that was chosen")
        check(page.value("document.activeElement.textContent") == "log y", "and the focus stays in it")
        check("Interrupted" not in page.value(f"{cell}.innerText"), "nobody calls it interrupted")
        page.open()
        check(page.until(f"{cell}.querySelector('.side canvas')"), "a page that is loaded again shows the plot so far")
        page.value(button(cell, "Stop") + ".click()")
        check(page.until(f"{cell}.querySelector('.side').innerText.includes('Interrupted')"), "a stopped run is called so")
        check(page.problems() == [], f"without an error: {page.problems()}")
    finally:
        page.server.close()


def test_compare(page):
    cell = CELL.format("layouts")
    pane = f"{cell}.querySelector('.compare')"
    for name in ("layouts", "other"):
        page.value(button(CELL.format(name), "Run") + ".click()")
    check(page.until("[...document.querySelectorAll('.cell[data-kind=experiment]')].every((one) => one.dataset.state == 'done')"), "two cells run")
    page.value(f"{pane}.open = true")
    check(page.until(f"[...{pane}.querySelectorAll('option')].some((one) => one.value == 'cell other')"), "a result can be compared with another cell's")
    choose(page, f"{pane}.querySelector('select')", "cell other")
    check(page.until(f"{pane}.querySelector('canvas')"), "their curves are one picture")
    check("other" in page.value(f"{pane}.querySelector('.keys').innerText"), "that names both")
    check(page.value(f"{pane}.querySelector('tbody .verdict').innerText") in ("different", "cannot tell"), "a table has the verdict")
    check(len(page.value(f"{pane}.querySelector('tbody td:last-child').innerText")) > 20, "with its reason")
    page.value(button(cell, "Run") + ".click()")
    check(page.until(f"{cell}.cellView.list()[0].before > 0 && {cell}.dataset.state == 'done'"), "it runs again")
    choose(page, f"{pane}.querySelector('select')", "before")
    check(page.until(f"{pane}.innerText.includes('1 same')"), "and is the same as the run before")
    statistics = f"[...{cell}.querySelectorAll('summary')].find((one) => one.textContent.startsWith('Statistics')).parentElement"
    page.value(f"{statistics}.open = true")
    check("latency" in page.value(f"{statistics}.innerText"), "statistics stand beside the cell")


def test_code(page, folder):
    cell = CELL.format("layouts")
    pane = f"{cell}.querySelector('.code-pane')"
    page.value(button(cell, "Code") + ".click()")
    check(page.until(f"{pane}?.querySelectorAll('.listing').length == 2", 60), "Code opens")
    select = f"[...{pane}.querySelectorAll('select')].at(-1)"
    choose(page, select, "point")
    facts = f"[...{pane}.querySelectorAll('.facts-line strong')].map((one) => one.textContent).join('|')"
    check(page.until(f"/first.*16 passes.*second.*one pass: no bank conflict/.test({facts})", 60),
          "two layouts side by side: one conflicts, and why")
    check(page.value(f"{pane}.querySelectorAll('input[type=range]').length") == 2, "each has a slider over its points")
    page.browser.picture(os.path.join(folder, "serve-points.png"))
    choose(page, select, "cell other")
    check(page.until(f"/lines differ/.test({pane}.querySelector('.compared .listing:last-child figcaption')?.innerText ?? '')", 60),
          "the code of two cells is compared line by line")
    check(page.value(f"{pane}.querySelectorAll('.differs').length") > 0, "what differs is marked")
    page.value(f"""(() => {{ const slider = {pane}.querySelectorAll('input[type=range]')[1];
                    slider.value = 1; slider.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
    check(page.until(f"/words=48/.test({pane}.querySelector('.facts-line').innerText)", 60), "at any of its points")
    page.value(button(cell, "Code") + ".click()")


def test_trace(page, folder):
    cell = CELL.format("layouts")
    page.value(button(cell, "Trace") + ".click()")
    pane = f"{cell}.querySelector('[aria-label=\"Trace of layouts\"]')"
    check(page.until(f"{pane}?.querySelector('svg.trace rect')", 60), "Trace draws the warps of a point")
    title = f"{pane}.querySelector('strong').textContent"
    clocks = int(page.value(title).split()[0])
    check(clocks > 500 and "scoreboard" in page.value(title), f"and says where its clocks go: {page.value(title)}")
    check("model" in page.value(f"{pane}.innerText"), "it is called a model's")
    whole = page.value(f"{pane}.querySelectorAll('rect').length")
    page.value(button(pane, "+") + ".click()")
    check(page.value(f"{pane}.querySelectorAll('rect').length") < whole, "it zooms")
    page.value(f"""(() => {{ const slider = {pane}.querySelector('input[type=range]');
                    slider.value = 1; slider.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
    check(page.until(f"parseInt({title}) < {clocks / 2}", 60), "another point, without conflicts, takes fewer clocks")
    page.value(f"{pane}.scrollIntoView()")
    page.browser.picture(os.path.join(folder, "serve-trace.png"))
    page.value(button(cell, "Trace") + ".click()")


def test_devices(page):
    page.value("document.getElementById('devices').open = true")
    page.value("document.querySelector('#devices input[value=k20]').click()")
    page.value("[...document.querySelectorAll('#devices button')].find((b) => b.textContent == 'Use these').click()")
    check(page.until("document.querySelector('#devices summary').textContent == 'Devices: gtx780, k20'"), "a second device is chosen")
    cell = CELL.format("layouts")
    page.value(button(cell, "Run") + ".click()")
    keys = f"{cell}.querySelector('.report .keys')?.innerText ?? ''"
    check(page.until(f"/gtx780/.test({keys}) && /k20/.test({keys})", 60), "both are curves of one picture")
    check(page.value(f"{cell}.querySelectorAll('.report .badge.virtual').length") >= 2, "each is called virtual")


def test_evidence(gpx, folder, browser):
    page = Page(gpx, folder, "evidence", CACHE, browser, device="gtx560ti")
    cell = CELL.format("cache")
    try:
        page.value(button(cell, "Run") + ".click()")
        check(page.until(f"{cell}.dataset.state == 'done' && {cell}.querySelector('.findings td')", 60), "findings stand beside the cell")
        page.until(f"(results => !results.fetching && results.drawn == results.wanted)({cell}.cellView.results)")
        link = f"{cell}.querySelector('.findings a[href^=\"#\"]')"
        check(page.until(link), "with a link to their evidence")
        check(page.value(f"document.getElementById({link}.hash.slice(1)).querySelector('canvas') != null"), "which is drawn")
        check(page.value(f"{link}.closest('tr').innerText").count("modelled") == 1, "and called a model's")
        check(page.value(f"[...{cell}.querySelectorAll('.findings summary')].some((one) => one.textContent == 'How it was found')"),
              "and with the steps that led to them")
        page.value(f"{link}.click()")
        check(page.until(f"(box => box.top > -50 && box.top < innerHeight)(document.getElementById({link}.hash.slice(1)).getBoundingClientRect())"),
              "the link leads there")
        check(page.problems() == [], f"without an error: {page.problems()}")
    finally:
        page.server.close()


def test_timeline(gpx, folder, browser):
    page = Page(gpx, folder, "stamps", STAMPS, browser, device="gtx280")
    cell = CELL.format("stamps")
    try:
        page.value(button(cell, "Run") + ".click()")
        check(page.until(f"{cell}.querySelector('svg.timeline circle')", 60), "stamps are a timeline beside the cell")
        check(page.value(f"{cell}.querySelector('svg.timeline').getAttribute('aria-label')").startswith("Timeline"), "with a name")
    finally:
        page.server.close()


def test_prediction(gpx, folder, browser):
    shutil.copy(os.path.join(HERE, "..", "kernels", "predict", "transposition.cu"), folder)
    page = Page(gpx, folder, "kernel", KERNEL, browser, device="h200", width=1300)
    cell = CELL.format("transposition")
    pane = f"{cell}.querySelector('[aria-label=\"Kernel file transposition.cu\"]')"
    try:
        page.value(button(cell, "transposition.cu") + ".click()")
        check(page.until(f"/LDS/.test({pane}?.querySelector('.listing pre').innerText ?? '')", 60), "a kernel's file opens with its machine code")
        page.value(f"""(() => {{ const form = {pane}.querySelector('form'), text = [...form.querySelectorAll('input[type=text]')];
                        text[1].value = '2,2'; text[2].value = '32,8';
                        form.querySelectorAll('input[type=checkbox]').forEach((box) => {{ box.checked = true; }}); form.requestSubmit(); }})()""")
        shown = f"{pane}.querySelector('.prediction')"
        check(page.until(f"{shown}.querySelectorAll('.parts').length == 3", 60), "its prediction is drawn")
        text = page.value(f"{shown}.innerText")
        check("no bank conflicts" in text and "twice the bandwidth of DRAM" in text, "with what-ifs")
        check("run on the virtual GPU" in text and "a model, not a measurement" in text, "and the time of a run beside it")
        check("tile[threadIdx.x][threadIdx.y + k]" in text, "and the lines of the file that it goes to")
        page.value(f"[...{shown}.querySelectorAll('tr[tabindex]')].find((row) => row.innerText.includes('bank conflicts')).focus()")
        check(page.value(f"{pane}.querySelectorAll('.cm-line.lit').length") == 1, "pointing at one lights it in the file")
        check(page.value(f"{pane}.querySelectorAll('form input[type=text]')[5].value") == "PAD=0", "the form has the macros of the cell")
        conflicts = f"[...{shown}.querySelectorAll('.parts')[1].querySelectorAll('th')].some((one) => one.textContent == 'bank conflicts')"
        check(page.value(conflicts), "rows of 32 words conflict")
        page.value(f"""(() => {{ const macros = {pane}.querySelectorAll('form input[type=text]')[5];
                        macros.value = 'PAD=1'; macros.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")
        check(page.until(f"{shown}.innerText.includes('predicted before')", 60), "a change of the form is predicted against it")
        check(not page.value(conflicts), "rows of 33 words do not")
        page.browser.picture(os.path.join(folder, "serve-prediction.png"), whole=True)
        check(page.problems() == [], f"without an error: {page.problems()}")
    finally:
        page.server.close()


def test_keyboard_alone(gpx, folder, browser):
    """From an empty file to a result, a comparison and a trace, without a pointer."""
    page = Page(gpx, folder, "keys", "", browser, device="gtx780")
    focused = "(e => e.closest('.cell, header') ? (e.getAttribute('aria-label') || e.textContent || e.tagName) : '')(document.activeElement)"

    def tab_to(name, back=False, most=80):
        for _ in range(most):
            page.press("Tab", 9, 8 if back else 0)
            if page.value(focused).startswith(name):
                return True
        return False

    def enter():
        page.press("Enter", 13, text="\r")

    try:
        check(page.value("document.getElementById('empty').innerText").startswith("This file is empty"), "an empty file says what to do")
        check(tab_to("Text of the cell"), "Tab reaches the empty cell")
        page.type("experiment keys {\n  threads 32\n  sweep words in [32, 33]\n  < load shared stride(words * 4B) x 4 >\n  plot latency over words\n}")
        page.press("Enter", 13, 2)  # Ctrl-Enter.
        cell = CELL.format("keys")
        check(page.until(f"{cell}?.dataset.state == 'done'", 60), "Ctrl-Enter runs what was typed")
        check(page.value("document.getElementById('empty').hidden"), "and the hint is gone")
        check(page.until(f"{cell}.querySelector('.side canvas')"), "and shows it")
        check(tab_to("Code", back=True), "Shift-Tab reaches the cell's buttons")
        enter()
        check(page.until(f"{cell}.querySelectorAll('.code-pane .listing').length == 2", 60), "Enter opens the code")
        check(page.value("document.activeElement.textContent") == "Code", "and keeps the focus")
        check(tab_to("Trace"), "Tab goes on")
        enter()
        check(page.until(f"{cell}.querySelector('svg.trace')", 60), "Enter opens the trace")
        title = f"{cell}.querySelector('[aria-label=\"Trace of keys\"] strong').textContent"
        before = page.value(title)
        page.value(f"{cell}.querySelector('[aria-label=\"Trace of keys\"] input[type=range]').focus()")
        page.press("ArrowRight", 39)
        check(page.until(f"{title} != {before!r}", 60), "an arrow key moves the slider to the next point")
        check(page.value("document.activeElement.getAttribute('aria-valuetext')") == "words=33", "whose value is said")
        page.value(f"{cell}.querySelector('.panels').focus()")
        page.press("ArrowRight", 39)
        check(page.until(f"/latency/.test({cell}.querySelector('.said').textContent)"), "arrow keys read a plot's values")
        check(tab_to("Compare"), "Tab reaches the comparison")
        enter()
        check(page.until(f"{cell}.querySelector('.compare').open"), "which opens")
        test_tree(page)
    finally:
        page.server.close()


def test_first_minute(gpx, folder, browser):
    """Somebody who knows no word of the language: which of two layouts conflicts, and why?"""
    page = Page(gpx, folder, "first", "", browser, device="auto", width=1300)
    cell = CELL.format("layouts")
    try:
        page.value("document.getElementById('to-example').click()")
        check(page.until(f"{cell} && document.getElementById('status').textContent == 'saved'"), "an empty page has an example")
        page.value(button(cell, "Run") + ".click()")
        check(page.until(f"(m => m && m[2] > 3 * m[1])(/(\\d+) clocks to (\\d+) clocks over 2/.exec({cell}.querySelector('.side').innerText))", 60),
              "its result shows that one layout is slower")
        page.value(button(cell, "Code") + ".click()")
        check(page.until(f"{cell}.querySelectorAll('.listing').length == 2", 60), "Code opens")
        choose(page, f"[...{cell}.querySelectorAll('.code-pane select')].at(-1)", "point")
        facts = f"[...{cell}.querySelectorAll('.facts-line strong')].map((one) => one.textContent)"
        check(page.until(f"{facts}.length == 2", 60), "two points stand side by side")
        first, second = page.value(facts)
        check("16 passes" in first and "every lane wants bank 0: 16 rows of one bank" in first, f"why one conflicts: {first}")
        check("no bank conflict" in second and "lane i wants bank i mod 32" in second, f"the other does not: {second}")
        note = f"{cell}.querySelector('.bank-note').innerText"
        check(page.until(f"/words=32: .*16 passes[^]*words=33: .*no bank conflict/.test({note})", 60), "both sentences stand beside the result")
        test_counters(page, cell)
        page.browser.picture(os.path.join(folder, "serve-first.png"))
    finally:
        page.server.close()


def test_counters(page, cell):
    """The sentence has the passes that the counters of a trace have."""
    page.value(button(cell, "Trace") + ".click()")
    pane = f"{cell}.querySelector('[aria-label=\"Trace of layouts\"]')"
    check(page.until(f"{pane}?.querySelector('svg.trace rect')", 60), "a trace opens beside the text")
    place = page.value(f"(box => [box.top, innerHeight])({pane}.getBoundingClientRect())")
    check(-1 < place[0] < place[1], f"and is on the screen: {place}")
    counters = f"[...{pane}.querySelectorAll('details')].find((one) => /Counters/.test(one.innerText))"
    page.value(f"{counters}.open = true")
    replays = page.value(f"(m => [Number(m[1]), Number(m[2])])(/shared +(\\d+) +(\\d+)/.exec({counters}.querySelector('pre').textContent))")
    launches = int(page.value(f"/launches (\\d+)/.exec({counters}.querySelector('pre').textContent)[1]"))
    check(replays[1] == 15 * 4 * launches, f"16 passes are 15 extra passes of each of 4 accesses in {launches} launches: {replays}")
    page.value(f"""(() => {{ const slider = {pane}.querySelector('input[type=range]');
                    slider.value = 1; slider.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
    check(page.until(f"/shared +\\d+ +0/.test({counters}.querySelector('pre').textContent)", 60), "no extra pass at the other point")
    check(page.value(f"{counters}.open"), "where the counters stay open")


def test_tree(page):
    """What a screen reader gets of a page with all panes open."""
    nodes = [node for node in page.browser.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
    for role, name in (("article", "experiment keys"), ("region", "Code of keys"), ("region", "Trace of keys"), ("textbox", "Text of keys"),
                       ("toolbar", "Code"), ("toolbar", "Trace"), ("banner", ""), ("main", "Cells"), ("status", "")):
        check((role, name) in named, f"a screen reader finds {role} {name}")
    check(any(role in ("img", "image") and "clocks from the first clock read" in name for role, name in named), "the trace has a text")
    check(any(role == "application" and name.startswith("latency (clocks) over words") for role, name in named), "so has the plot")
    for role in ("button", "slider", "combobox", "textbox", "checkbox", "link"):
        silent = [node for node in nodes if node["role"]["value"] == role and not node.get("name", {}).get("value")]
        check(not silent, f"every {role} has a name: {len(silent)} do not")
    check(any(node["role"]["value"] == "slider" and node.get("value", {}).get("value") is not None for node in nodes), "sliders have values")


def test_print(page, folder):
    pdf = base64.b64decode(page.browser.call("Page.printToPDF", {"printBackground": False})["data"])
    with open(os.path.join(folder, "serve.pdf"), "wb") as file:
        file.write(pdf)
    check(pdf.startswith(b"%PDF") and len(pdf) > 20000, f"the page prints: {len(pdf)} bytes")
    page.browser.call("Emulation.setEmulatedMedia", {"media": "print"})
    check(page.value(f"{CELL.format('layouts')}.querySelector('.left').innerText").count("experiment layouts") == 1, "each text once")
    page.browser.call("Emulation.setEmulatedMedia", {"media": ""})


def test_narrow(page, folder):
    cell = CELL.format("layouts")
    for name in ("Code", "Trace"):
        page.value(button(cell, name) + ".click()")
    page.until(f"{cell}.querySelector('svg.trace') && {cell}.querySelectorAll('.listing').length == 2", 60)
    for name, width, dark in (("phone", 320, False), ("dark", 1300, True)):
        page.browser.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        page.browser.call("Emulation.setEmulatedMedia", {"media": "screen", "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        time.sleep(0.5)
        over = page.value("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"all panes fit {width} pixels: {over} over")
        page.browser.picture(os.path.join(folder, f"serve-panes-{name}.png"), whole=True)


def test_hostile(gpx, folder, browser):
    with open(os.path.join(folder, "evil.cu"), "w") as file:
        file.write("// </textarea><img src=x onerror=alert(1)>\n__global__ void evil(float* x) { x[threadIdx.x] = 1; }\n")
    page = Page(gpx, folder, "hostile-panes", HOSTILE + """
experiment written {
  threads 32
  kernel mine from "evil.cu" entry evil(x = buffer(1KB, zero))
  < run mine >
}
""", browser, device="gtx780")
    try:
        cell = CELL.format("evil")
        for name in ("evil", "twin"):
            page.value(button(CELL.format(name), "Run") + ".click()")
        check(page.until(f"[...document.querySelectorAll('.cell[data-state=done]')].length == 2", 60), "a hostile document runs")
        page.value(f"{cell}.querySelector('.compare').open = true")
        page.until(f"[...{cell}.querySelectorAll('.compare option')].some((one) => one.value == 'cell twin')")
        choose(page, f"{cell}.querySelector('.compare select')", "cell twin")
        check(page.until(f"{cell}.querySelector('.compare table')"), "and is compared")
        for name in ("Code", "Trace"):
            page.value(button(cell, name) + ".click()")
        check(page.until(f"{cell}.querySelector('svg.trace')", 60), "and traced")
        page.value(button(CELL.format("written"), "evil.cu") + ".click()")
        check(page.until(f"/STG/.test({CELL.format('written')}.querySelector('.listing pre')?.innerText ?? '')", 60), "its kernel is shown")
        page.value(f"{CELL.format('written')}.querySelector('form').requestSubmit()")
        page.until(f"{CELL.format('written')}.querySelector('.prediction').innerText.length > 20", 60)
        check(page.value("document.images.length") == 0, "its texts make no element")
        check(page.value("document.querySelectorAll('[onerror], [onmouseover]').length") == 0, "and no handler")
        check("broken" not in page.value("document.title"), "and run no script")
    finally:
        page.server.close()


def test_all(gpx, folder, browser):
    test_live(gpx, folder, browser)
    page = Page(gpx, folder, "layouts", LAYOUTS, browser, width=1400, device="gtx780")
    try:
        test_compare(page)
        test_code(page, folder)
        test_trace(page, folder)
        test_print(page, folder)
        test_narrow(page, folder)
        test_devices(page)
        check(page.problems() == [], f"without an error: {page.problems()}")
    finally:
        page.server.close()
    test_evidence(gpx, folder, browser)
    test_timeline(gpx, folder, browser)
    test_prediction(gpx, folder, browser)
    test_keyboard_alone(gpx, folder, browser)
    test_first_minute(gpx, folder, browser)
    test_hostile(gpx, folder, browser)


if __name__ == "__main__":
    run(test_all)
