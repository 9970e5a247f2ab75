"""A server of `gpx serve` and a client of its messages (docs/serve.md), with Python's standard library.

Used by serve_test.py here and by tests/browser/serve_test.py."""
import http.client
import json
import os
import signal
import subprocess
import time
import urllib.parse


class Server:
    def __init__(self, gpx, file, *arguments, device="k20", store=None):
        self.folder = os.path.dirname(os.path.abspath(file))
        environment = dict(os.environ, GPX_STORE=store or os.path.join(self.folder, "store.db"))
        started = time.time()
        self.process = subprocess.Popen([gpx, "serve", file, "--device", device, "--quiet", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment)
        self.url = self.process.stdout.readline().strip()
        self.started_in = time.time() - started
        if not self.url:
            raise RuntimeError(self.process.stderr.read())
        parts = urllib.parse.urlparse(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def request(self, method, path, body=None, headers=None, token=True):
        """Status, headers and text of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        sent = {"Authorization": "Bearer " + self.token} if token else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, path, body, {**sent, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def ask(self, path, body=None):
        """The JSON of an answer."""
        status, _, text = self.request("GET" if body is None else "POST", path, body)
        if status != 200:
            raise RuntimeError(f"{path}: {status}: {text}")
        return json.loads(text)

    def records(self):
        return {record["cell"]: record for record in self.ask("/api/state?since=0")["records"]}

    def until(self, cell, *phases, seconds=60):
        """The record of a cell once it is in one of the phases."""
        end = time.time() + seconds
        while time.time() < end:
            record = self.records().get(cell)
            if record and record["phase"] in phases:
                return record
            time.sleep(0.05)
        raise RuntimeError(f"{cell} is not {phases}: {record}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def close(self):
        """Ctrl-C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()
        return status
