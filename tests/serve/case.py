"""Cases that talk to a server of a document: the base of serve_test.py and results_test.py."""
import os
import socket
import sys
import tempfile
import unittest

from client import Server

GPX = None


class Case(unittest.TestCase):
    text = "threads 32 < load unique(128B) >\n"

    def setUp(self):
        self.begin_server()

    def begin_server(self):
        self.made = tempfile.TemporaryDirectory(prefix="gpx-serve-test-")
        self.folder = self.made.name
        self.file = os.path.join(self.folder, "page.gpx")
        with open(self.file, "w") as file:
            file.write(self.text)
        self.server = Server(GPX, self.file)

    def tearDown(self):
        if self.server.process.poll() is None:
            self.server.close()
        self.made.cleanup()

    def read(self):
        with open(self.file) as file:
            return file.read()

    def raw(self, request, wait=15):
        """What comes back for bytes, until the server closes."""
        with socket.create_connection((self.server.host, self.server.port), timeout=wait) as to:
            to.sendall(request)
            to.shutdown(socket.SHUT_WR)
            got = b""
            while more := to.recv(65536):
                got += more
            return got.decode(errors="replace")


class Shared(Case):
    """Cases that change nothing have one server together."""
    one = None

    def setUp(self):
        if type(self).one is None:
            self.begin_server()
            type(self).one = (self.made, self.folder, self.file, self.server)
        self.made, self.folder, self.file, self.server = type(self).one

    def tearDown(self):
        pass

    @classmethod
    def tearDownClass(cls):
        if cls.one:
            cls.one[3].close()
            cls.one[0].cleanup()


def run():
    """  FILE GPX [NAME...]     (NAME: only the cases that hold it)"""
    global GPX
    GPX = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + [word for name in sys.argv[2:] for word in ("-k", name)])
