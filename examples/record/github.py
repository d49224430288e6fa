"""Answers as GitHub on 127.0.0.1:8215 what the judge of a picture asks: the files that
its pull request changes, which are the arguments. See examples/picture.sh.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

FILES = [{"filename": name, "status": "modified"} for name in sys.argv[1:]]


class GitHub(BaseHTTPRequestHandler):
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path.endswith("/pulls/214/files"):
            self.answer(200, FILES)
        elif path.endswith("/actions/runs/18234567890"):
            self.answer(200, {"id": 18234567890, "repository": {"id": 1}})
        else:
            self.answer(404, {"message": "Not Found"})

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", 8215), GitHub).serve_forever()
