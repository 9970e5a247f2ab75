#!/usr/bin/env python3
"""gpx serve over HTTP: who is let in, what the messages do, and what survives.

  tests/serve/serve_test.py GPX [NAME...]     (NAME: only the cases that hold it)
"""
import concurrent.futures
import contextlib
import json
import os
import socket
import time

import case
from case import Case, Shared
from client import Server

DOCUMENT = """# Loads and threads.

param n = 2  # 1..4 step 1

experiment loads "Loads of each thread" {
  sweep threads 32..128 step 32
  < load unique(128B) x n >
  plot latency over threads
}

threads 32 < load unique(128B) >

# :lua
# print(#loads.samples)
"""
LONG = """experiment long "Takes its time" {
  sweep threads 32..1024 step 2, n 1..40
  < load unique(128B) x n >
}
"""
HOSTILE = """experiment evil "</script><img src=x onerror=alert(1)>" {
  threads 32
  < load unique(128B) >
}
"""


class LetIn(Shared):
    text = DOCUMENT

    def test_a_token_is_needed(self):
        for path in ("/", "/page.js", "/api/state", "/api/nothing"):
            self.assertEqual(self.server.request("GET", path, token=False)[0], 403, path)
        self.assertEqual(self.server.request("POST", "/api/run", {"cells": []}, token=False)[0], 403)
        wrong = {"Authorization": "Bearer " + "0" * 32}
        self.assertEqual(self.server.request("GET", "/api/state", headers=wrong, token=False)[0], 403)
        self.assertEqual(self.server.request("GET", "/?token=" + "0" * 32, token=False)[0], 403)

    def test_the_address_gives_a_cookie_that_scripts_cannot_read(self):
        status, headers, _ = self.server.request("GET", "/?token=" + self.server.token, token=False)
        self.assertEqual((status, headers["Location"]), (303, "/"))
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, headers["Set-Cookie"])
        cookie = {"Cookie": "other=1; " + headers["Set-Cookie"].split(";")[0]}
        self.assertEqual(self.server.request("GET", "/", headers=cookie, token=False)[0], 200)

    def test_a_name_that_was_rebound_is_refused(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", "localhost", "",
                     f"127.0.0.1.evil.example:{self.server.port}", "127.0.0.1:1"):
            self.assertEqual(self.server.request("GET", "/api/state", headers={"Host": host})[0], 421, host)
        here = {"Host": f"localhost:{self.server.port}"}
        self.assertEqual(self.server.request("GET", "/api/state", headers=here)[0], 200)

    def test_another_page_is_refused(self):
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.server.port}",
                       "http://127.0.0.1:1"):
            status = self.server.request("POST", "/api/run", {"cells": ["loads"]}, {"Origin": origin})[0]
            self.assertEqual(status, 403, origin)
        own = {"Origin": f"http://127.0.0.1:{self.server.port}"}
        self.assertEqual(self.server.request("POST", "/api/run", {"cells": []}, own)[0], 200)

    def test_a_form_cannot_post(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            status = self.server.request("POST", "/api/run", '{"cells": []}', {"Content-Type": kind})[0]
            self.assertEqual(status, 415, kind)

    def test_every_answer_has_its_policy(self):
        for path in ("/", "/api/state", "/page.css", "/nothing"):
            _, headers, _ = self.server.request("GET", path)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("script-src 'self';", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(len({self.server.request("GET", "/")[1]["Content-Security-Policy"] for _ in range(3)}), 3)

    def test_other_methods_are_refused(self):
        for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
            self.assertEqual(self.server.request(method, "/api/state")[0], 405)

    def test_only_this_machine_is_listened_to(self):
        with open(f"/proc/{self.server.process.pid}/net/tcp") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
        own = [place for place in listening if int(place.split(":")[1], 16) == self.server.port]
        self.assertEqual([place.split(":")[0] for place in own], ["0100007F"])


class Limits(Shared):
    def test_a_body_that_is_too_large(self):
        for size in (5 << 20, 99999999999, 2**64 - 1):
            declared = (f"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
                        f"Content-Length: {size}\r\n\r\n")
            self.assertIn(" 413 ", self.raw(declared.encode()), size)

    def test_a_header_that_is_too_large(self):
        self.assertIn(" 431 ", self.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 70000 + b"\r\n\r\n"))

    def test_what_is_no_http(self):
        for bytes_ in (b"\0\1\2\3" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            self.raw(bytes_)
        self.assertEqual(self.server.request("GET", "/api/state")[0], 200)

    def test_many_connections_leave_the_server_alive(self):
        idle = [socket.create_connection((self.server.host, self.server.port)) for _ in range(64)]
        time.sleep(0.5)
        with socket.create_connection((self.server.host, self.server.port), timeout=10) as one:
            self.assertIn(b" 503 ", one.recv(4096))
        for one in idle:
            one.close()
        end, status = time.time() + 60, 503
        while status == 503 and time.time() < end:  # The server has to see that they are gone.
            time.sleep(0.05)
            with contextlib.suppress(ConnectionError):  # Refused before the request was read.
                status = self.server.request("GET", "/api/state")[0]
        self.assertEqual(status, 200)

    def test_json_that_is_none_or_too_deep(self):
        for body in ("", "{", "[]", "null", '"text"', "{" + '"a":' * 1, "[" * 100000, '{"text": 1}', "{}"):
            status, _, text = self.server.request("POST", "/api/check", body)
            self.assertEqual(status, 400, body[:20])
            self.assertIn("message", json.loads(text)["error"])


class Files(Shared):
    def test_no_path_outside_of_the_folder(self):
        os.symlink("/etc", os.path.join(self.folder, "link"))
        outside = os.path.join(os.path.dirname(self.folder), "outside.cu")
        for path in ("../outside.cu", outside, "/etc/passwd", "link/x.cu", "a/../../outside.cu", "", ".",
                     "..%2foutside.cu", "page.gpx", "store.db", "x.cu%00.gpx"):
            status, _, text = self.server.request("GET", "/api/file?path=" + path)
            self.assertEqual(status, 400, (path, text))
            body = {"path": path.replace("%2f", "/").replace("%00", "\0"), "text": "x", "hash": ""}
            self.assertEqual(self.server.request("POST", "/api/file", body)[0], 400, path)
        self.assertFalse(os.path.exists(outside))

    def test_traversal_by_the_path_of_the_url(self):
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/page.js/../../x"):
            self.assertEqual(self.server.request("GET", path)[0], 404, path)

    def test_a_kernel_is_read_and_written(self):
        saved = self.server.ask("/api/file", {"path": "k.cu", "text": "// one\n", "hash": ""})
        self.assertTrue(saved["saved"])
        self.assertEqual(self.server.ask("/api/file?path=k.cu")["text"], "// one\n")
        late = self.server.request("POST", "/api/file", {"path": "k.cu", "text": "// two\n", "hash": "0"})
        self.assertEqual(late[0], 409)
        again = self.server.ask("/api/file", {"path": "k.cu", "text": "// two\n", "hash": saved["hash"]})
        self.assertTrue(again["saved"])

    def test_the_gallery_brings_its_kernels(self):
        shelves = self.server.ask("/api/gallery")["shelves"]
        names = [entry["name"] for shelf in shelves for entry in shelf["entries"]]
        self.assertIn("templates/atomics", names)
        self.assertIn("experiments/kepler_prt", names)
        taken = self.server.ask("/api/gallery", {"name": "templates/atomics"})
        self.assertIn("experiment", taken["text"])
        self.assertEqual(taken["written"], ["atomics.cu"])
        self.assertTrue(os.path.exists(os.path.join(self.folder, "atomics.cu")))
        for name in ("templates/../devices/k20", "../x", "templates/", "none"):
            self.assertEqual(self.server.request("POST", "/api/gallery", {"name": name})[0], 400, name)


class Document(Case):
    text = DOCUMENT

    def test_the_cells_are_the_file(self):
        state = self.server.ask("/api/state?since=0")
        self.assertEqual("".join(cell["text"] for cell in state["cells"]), DOCUMENT)
        self.assertEqual([(cell["kind"], cell["name"]) for cell in state["cells"]],
                         [("note", ""), ("parameters", ""), ("experiment", "loads"),
                          ("experiment", "line1"), ("lua", "lua1")])
        knob = state["cells"][1]["knobs"][0]
        self.assertEqual((knob["name"], knob["value"], knob["choices"]), ("n", "2", ["1", "2", "3", "4"]))
        self.assertEqual(state["cells"][2]["uses"], ["n"])

    def test_a_change_is_saved_and_makes_stale_what_uses_it(self):
        before = self.server.ask("/api/state?since=0")
        after = self.server.ask("/api/save", {"base": before["version"], "text": DOCUMENT.replace("n = 2", "n = 3")})
        self.assertTrue(after["saved"])
        self.assertIn("param n = 3", self.read())
        keys = [[cell["keys"] for cell in state["cells"]] for state in (before, after)]
        self.assertNotEqual(keys[0][2], keys[1][2])
        self.assertEqual(keys[0][3], keys[1][3])

    def test_a_comment_makes_nothing_stale(self):
        before = self.server.ask("/api/state?since=0")
        after = self.server.ask("/api/save", {"base": before["version"], "text": "# Another.\n\n" + DOCUMENT})
        keys = [[cell["keys"] for cell in state["cells"] if cell["name"]] for state in (before, after)]
        self.assertEqual(keys[0], keys[1])

    def test_an_old_version_does_not_overwrite(self):
        base = self.server.ask("/api/state?since=0")["version"]
        self.server.ask("/api/save", {"base": base, "text": "# one\n"})
        status, _, text = self.server.request("POST", "/api/save", {"base": base, "text": "# two\n"})
        self.assertEqual(status, 409)
        self.assertEqual(json.loads(text)["cells"][0]["text"], "# one\n")
        self.assertEqual(self.read(), "# one\n")

    def test_a_change_by_another_program_is_seen(self):
        at = self.server.ask("/api/state?since=0")["at"]
        with open(self.file, "w") as file:
            file.write("# from an editor\n")
        state = self.server.ask(f"/api/state?since={at}&wait=5")
        self.assertEqual(state["cells"][0]["text"], "# from an editor\n")

    def test_two_tabs_see_the_same(self):
        at = self.server.ask("/api/state?since=0")["at"]
        with concurrent.futures.ThreadPoolExecutor() as tabs:
            waiting = [tabs.submit(self.server.ask, f"/api/state?since={at}&wait=10") for _ in range(8)]
            time.sleep(0.3)
            self.server.ask("/api/run", {"cells": ["line1"]})
            states = [one.result() for one in waiting]
        self.assertEqual({record["cell"] for state in states for record in state["records"]}, {"line1"})

    def test_checks_completions_and_hovers_are_the_language_servers(self):
        problems = self.server.ask("/api/check", {"text": "threads 32 < laod unique(128B) >\n"})["problems"]
        self.assertIn("unknown access 'laod'", problems[0]["message"])
        self.assertEqual(problems[0]["range"]["start"], {"line": 0, "character": 13})
        items = self.server.ask("/api/complete", {"text": "threads 32 < lo", "position": {"line": 0, "character": 15}})
        self.assertIn("load", [item["label"] for item in items["items"]])
        hover = self.server.ask("/api/hover", {"text": DOCUMENT, "position": {"line": 5, "character": 3}})
        self.assertIn("**sweep**", hover["hover"]["markdown"])
        formatted = self.server.ask("/api/format", {"text": "threads   32 <load unique(128B)>"})["text"]
        self.assertIn("< load unique(128B) >", formatted)


class Running(Case):
    text = DOCUMENT

    def test_a_cell_runs_and_its_result_is_in_the_store(self):
        self.server.ask("/api/run", {"cells": ["loads", "line1"]})
        record = self.server.until("loads", "done")
        self.assertGreater(record["run"], 0)
        html = self.server.ask(f"/api/result?runs={record['run']}")["html"]
        self.assertIn("a model, not a measurement", html)
        self.assertIn('data-kind="curves"', html)
        self.server.until("line1", "done")
        status, headers, page = self.server.request("GET", "/api/export")
        self.assertEqual(status, 200)
        self.assertIn("attachment", headers["Content-Disposition"])
        self.assertIn("<!doctype html>", page)

    def test_lua_reads_the_run_of_an_experiment(self):
        self.server.ask("/api/run", {"cells": ["loads"]})
        self.server.until("loads", "done")
        before = [cell["keys"] for cell in self.server.ask("/api/state?since=0")["cells"] if cell["name"] == "lua1"]
        self.server.ask("/api/run", {"cells": ["lua1"]})
        self.assertEqual(self.server.until("lua1", "done")["output"], "4\n")
        self.server.ask("/api/run", {"cells": ["loads"]})
        time.sleep(0.2)
        self.server.until("loads", "done")
        after = [cell["keys"] for cell in self.server.ask("/api/state?since=0")["cells"] if cell["name"] == "lua1"]
        self.assertNotEqual(before, after)

    def test_two_devices_stand_side_by_side(self):
        self.server.ask("/api/devices", {"devices": ["k20", "gtx780"]})
        self.server.ask("/api/run", {"cells": ["line1"]})
        end, records = time.time() + 60, []
        while time.time() < end and (len(records) < 2 or any(r["phase"] in ("queued", "running") for r in records)):
            time.sleep(0.1)
            records = self.server.ask("/api/state?since=0")["records"]
        self.assertEqual([record["message"] for record in records if record["phase"] != "done"], [])
        self.assertEqual({record["device"] for record in records}, {"k20", "gtx780"})
        runs = ",".join(str(record["run"]) for record in records)
        html = self.server.ask("/api/result?runs=" + runs)["html"]
        self.assertIn("k20", html)
        self.assertIn("gtx780", html)

    def test_an_error_of_a_run_is_shown_and_the_server_goes_on(self):
        base = self.server.ask("/api/state?since=0")["version"]
        self.server.ask("/api/save", {"base": base, "text": "threads 32 < laod unique(128B) >\n"})
        self.server.ask("/api/run", {"cells": ["line1"]})
        self.assertIn("unknown access", self.server.until("line1", "failed")["message"])

    def test_a_device_that_is_none(self):
        self.server.ask("/api/devices", {"devices": ["--help"]})
        self.server.ask("/api/run", {"cells": ["line1"]})
        self.assertIn("--help", self.server.until("line1", "failed")["message"])
        self.assertEqual(self.server.request("POST", "/api/devices", {"devices": []})[0], 400)

    def test_a_new_server_finds_the_results(self):
        self.server.ask("/api/run", {"cells": ["loads"]})
        run = self.server.until("loads", "done")["run"]
        self.assertEqual(self.server.close(), 0)
        self.server = Server(case.GPX, self.file)
        self.assertEqual(self.server.until("loads", "done")["run"], run)


LAYOUTS = """param n = 4

# Two layouts of one tile.
experiment rows {
  threads 32
  measure apart { < load shared stride(4B) x n > }
  measure together { < load shared stride(128B) x n > }
}
"""
KERNEL = """__global__ void scale(float* x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * f;
}
"""


class Code(Case):
    text = LAYOUTS

    def test_the_lines_of_all_stages_are_linked(self):
        answer = self.server.ask("/api/explain", {"cell": "rows", "device": "k20", "arch": "sm_90"})
        self.assertEqual(len(answer["explained"]), 2)
        listings = {one["form"]: one for one in answer["explained"][1]["listings"]}
        self.assertEqual(set(listings), {"source", "kernel", "CUDA", "PTX", "SASS"})
        cell = next(c for c in self.server.ask("/api/state?since=0")["cells"] if c["name"] == "rows")
        line = 1 + cell["text"].split("\n").index('  measure together { < load shared stride(128B) x n > }')
        for form, opcode in (("kernel", "ld.shared"), ("CUDA", "ld.shared"), ("PTX", "ld.shared"), ("SASS", "LDS")):
            loads = [one for one in listings[form]["lines"] if opcode in one["text"] and one.get("timed")]
            self.assertEqual(len(loads), 4, form)
            self.assertEqual({one["origin"] + answer["shift"] for one in loads}, {line}, form)
        self.assertEqual(listings["SASS"]["of"], "sm_90")
        self.assertRegex(next(one for one in listings["SASS"]["lines"] if "LDS" in one["text"])["control"],
                         r"^[0-9a-f]{4}   ?\d")

    def test_what_cannot_be_explained_is_said(self):
        for body in ({"cell": "none", "device": "k20"}, {"cell": "rows", "device": "none"},
                     {"cell": "rows", "device": "k20", "arch": "x"}, {"cell": "rows", "device": "--help"},
                     {"cell": "rows", "device": "k20", "point": "99"}, {"cell": "rows"}):
            self.assertEqual(self.server.request("POST", "/api/explain", body)[0], 400, body)

    def test_a_kernels_file_has_its_machine_code_and_a_prediction(self):
        self.server.ask("/api/file", {"path": "k.cu", "text": KERNEL, "hash": ""})
        sass = self.server.ask("/api/sass", {"path": "k.cu", "arch": "sm_90a"})
        lines = {one["line"] for one in sass["functions"][0]["instructions"] if "FMUL" in one["text"]}
        self.assertEqual(lines, {4})
        predicted = self.server.ask("/api/predict", {
            "path": "k.cu", "device": "k20", "entry": "scale", "grid": ["16"], "block": ["128"],
            "arg": ["f=2", "n=2048"], "buffer": ["x=8KB"]})
        self.assertIn("scale", predicted["report"])
        what_if = self.server.ask("/api/predict", {
            "path": "k.cu", "device": "h100", "entry": "scale", "grid": ["16"], "block": ["128"],
            "arg": ["f=2", "n=2048"], "buffer": ["x=8KB"], "what_if": True})
        self.assertIn("twice the bandwidth of DRAM", what_if["report"])
        for path in ("../k.cu", "/etc/passwd", "none.cu", "page.gpx"):
            for message in ("sass", "predict"):
                body = {"path": path, "device": "k20", "entry": "k"}
                self.assertEqual(self.server.request("POST", "/api/" + message, body)[0], 400, path)


class LongRuns(Case):
    text = LONG

    def begin(self):
        self.server.ask("/api/run", {"cells": ["long"]})
        self.server.until("long", "running")
        end = time.time() + 60
        while time.time() < end and not self.server.records()["long"]["progress"]:
            time.sleep(0.05)
        time.sleep(1)

    def test_stop_keeps_the_points_and_resume_goes_on(self):
        self.begin()
        self.server.ask("/api/stop", {"cells": ["long"]})
        stopped = self.server.until("long", "stopped")
        self.assertGreater(stopped["run"], 0)
        self.assertIn("Interrupted", self.server.ask(f"/api/result?runs={stopped['run']}")["html"])
        self.server.ask("/api/resume", {"cell": "long"})
        self.server.until("long", "running")
        self.server.ask("/api/stop", {"cells": ["long"]})
        self.assertEqual(self.server.until("long", "stopped")["run"], stopped["run"])

    def test_a_killed_server_loses_nothing(self):
        self.begin()
        self.server.kill()
        time.sleep(2)
        self.server = Server(case.GPX, self.file)
        stopped = self.server.until("long", "stopped")
        self.server.ask("/api/resume", {"cell": "long"})
        self.assertEqual(self.server.until("long", "running")["run"], stopped["run"])

    def test_ctrl_c_ends_the_runs(self):
        self.begin()
        self.assertEqual(self.server.close(), 0)


class Ending(Case):
    def test_open_connections_do_not_keep_the_server(self):
        idle = [socket.create_connection((self.server.host, self.server.port)) for _ in range(8)]
        with concurrent.futures.ThreadPoolExecutor() as tabs:
            at = self.server.ask("/api/state?since=0")["at"]
            waiting = tabs.submit(self.server.request, "GET", f"/api/state?since={at}&wait=20")
            time.sleep(0.3)
            self.assertEqual(self.server.close(), 0)
            try:
                waiting.result()
            except OSError:
                pass  # It was cut.
        for one in idle:
            one.close()


class Hostile(Case):
    text = HOSTILE

    def test_no_text_becomes_markup(self):
        self.server.ask("/api/run", {"cells": ["evil"]})
        run = self.server.until("evil", "done")["run"]
        html = self.server.ask(f"/api/result?runs={run}")["html"]
        self.assertNotIn("<img", html)
        self.assertIn("&lt;img", html)


if __name__ == "__main__":
    case.run()
