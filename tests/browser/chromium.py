"""A headless Chromium, driven over its debugging pipe: Python's standard library is enough.

Used by report_test.py, serve_test.py and atlas_test.py."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.parse

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    def __init__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise SystemExit("chromium is not installed: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="gpx-browser-")
        to_read, self.to = os.pipe()
        self.came, from_write = os.pipe()

        def hand_over():  # Chromium reads commands from 3 and writes events to 4.
            os.dup2(to_read, 100)
            os.dup2(from_write, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile, "about:blank"],
            close_fds=False, preexec_fn=hand_over, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer = b""
        self.number = 0
        self.events = []
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget",
                                 {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.came)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.came, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, params=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def value(self, script):
        """What a script gives; a promise is waited for."""
        result = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True,
                                                "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", script))
        return result["result"].get("value")

    def open(self, path, width=1200, height=900, dark=False, scale=1, media="screen"):
        """Loads a page and waits until its pictures are drawn: the seconds that it took."""
        self.visit("file://" + os.path.abspath(path), width, height, dark, scale, offline=True, media=media)
        # From the start of the navigation until everything is drawn.
        return self.value("performance.getEntriesByName('drawn')[0].startTime") / 1000

    def open_plain(self, path, width=1200, height=900, dark=False):
        """Loads a page that no script draws and waits until it is complete."""
        url = "file://" + urllib.parse.quote(os.path.abspath(path))
        there = f"document.readyState === 'complete' && location.href === {json.dumps(url)}"
        self.visit(url, width, height, dark, offline=True, there=there)

    def visit(self, url, width=1200, height=900, dark=False, scale=1, offline=False, ready="ready", there=None,
              media="screen"):
        """Loads a page and waits until its root element has the attribute data-ready, or another one, or
        until the script `there` is true."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.call("Network.emulateNetworkConditions", {
            "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.call("Page.navigate", {"url": url})
        for _ in range(600):
            if self.value(there or f"document.documentElement?.dataset.{ready} === 'true'"):
                break
            time.sleep(0.02)
        else:
            raise RuntimeError("the page is not ready after 12 s: " + "; ".join(self.problems()))

    def problems(self):
        """Errors and warnings of the console, exceptions, and anything fetched but the page."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "?"))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file://", "data:")):
                    found.append("fetches " + url)
        return found

    def box(self, selector):
        """Centre and size of an element, scrolled into view."""
        return self.value(f"""(() => {{
          const e = document.querySelector({json.dumps(selector)});
          e.scrollIntoView({{block: "center", behavior: "instant"}});
          const b = e.getBoundingClientRect();
          return {{x: b.x, y: b.y, width: b.width, height: b.height}};
        }})()""")

    def stretched(self, root):
        """Plots below an element whose picture has not the size that it was drawn for."""
        return self.value(f"""[...document.querySelectorAll({json.dumps(root + ' .uplot canvas')})].filter((canvas) => {{
          const box = canvas.getBoundingClientRect(), room = canvas.closest('.panels').clientWidth;
          return Math.abs(box.width - canvas.width / devicePixelRatio) > 1 || Math.abs(box.height - canvas.height / devicePixelRatio) > 1
            || Math.abs(box.width - room) > 1; }}).length""")

    def ends_of_plot(self, root):
        """What is read at the left and the right end of the first plot, each with the distance in
        pixels between that end and the mark on the curve."""
        read = []
        for part in (0.001, 0.999):
            box = self.box(root + " .u-over")
            self.mouse("mouseMoved", box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
            mark = self.box(root + " .u-cursor-pt")
            self.box(root + " .u-over")
            away = abs(mark["x"] + mark["width"] / 2 - (box["x"] + box["width"] * part))
            read.append((self.value(f"document.querySelector({json.dumps(root + ' .readout')}).textContent"), away))
        return read

    def mouse(self, kind, x, y, clicks=0):
        self.call("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left" if clicks or kind != "mouseMoved" else "none",
            "buttons": 1 if kind == "mousePressed" else 0, "clickCount": clicks})

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": name,
                                                 "text": name if len(name) == 1 and kind == "keyDown" else ""})

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole,
                                                    **({} if not whole else {"clip": self.page()})})
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def page(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}
