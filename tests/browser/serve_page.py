"""A server of a text and a tab with its page, for serve_test.py and serve_panes_test.py."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from chromium import Browser
from client import Server

failures = []


def check(truth, what):
    print(("ok    " if truth else "FAIL  ") + what)
    if not truth:
        failures.append(what)


class Page:
    """A server of a text, and a tab with its page."""

    def __init__(self, gpx, folder, name, text, browser, device="k20", **look):
        self.file = os.path.join(folder, name + ".gpx")
        with open(self.file, "w") as file:
            file.write(text)
        store = os.path.join(folder, name + ".db")
        if os.path.exists(store):
            os.remove(store)  # Of an earlier test with this folder.
        self.server = Server(gpx, self.file, device=device, store=store)
        self.browser = browser
        self.open(**look)

    def open(self, browser=None, **look):
        # The page before would go on asking.
        (browser or self.browser).call("Page.navigate", {"url": "about:blank"})
        (browser or self.browser).visit(self.server.url, ready="live", **look)

    def value(self, script):
        return self.browser.value(script)

    def until(self, script, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            if self.browser.value(f"Boolean({script})"):
                return True
            time.sleep(0.05)
        return False

    def problems(self):
        return [one for one in self.browser.problems() if not one.startswith("fetches " + self.server.url.split("/?")[0])]

    def type(self, text):
        self.browser.call("Input.insertText", {"text": text})

    def press(self, key, code=0, modifiers=0, text=""):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers,
                "text": text if kind == "keyDown" else ""})

    def read(self):
        with open(self.file) as file:
            return file.read()


CELL = "document.querySelector('[aria-label=\"experiment {}\"]')"


def run(test):
    """  FILE GPX [FOLDER]     (FOLDER: keep the pictures there)"""
    gpx = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpx-serve-")
    os.makedirs(folder, exist_ok=True)
    browser = Browser()
    try:
        test(gpx, folder, browser)
    finally:
        browser.close()
    print(f"{len(failures)} failed; pictures in {folder}")
    sys.exit(1 if failures else 0)
