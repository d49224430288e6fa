"""The calls of a Playwright binding that these tests need.

It starts the driver and speaks to it as the binding for Python does, because that binding
is no package of the systems that these tests run on.
"""

import json
import os
import struct
import subprocess
import sys


class Driver:
    def __init__(self, cli):
        node = os.environ.get("PLAYWRIGHT_NODEJS_PATH", "node")
        self.process = subprocess.Popen([node, cli, "run-driver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.calls = 0
        self.made = []  # (type, guid, initializer)
        self.call("", "initialize", {"sdkLanguage": "python"})

    def call(self, guid, method, params):
        """Makes a call and returns its result. The place is that of the test or its page object."""
        self.calls += 1
        frame = sys._getframe(1)
        while frame.f_code.co_filename == __file__:
            frame = frame.f_back
        place = {"file": frame.f_code.co_filename, "line": frame.f_lineno, "column": 0}
        message = {"id": self.calls, "guid": guid, "method": method, "params": params, "metadata": {"location": place, "apiName": method, "internal": False}}
        text = json.dumps(message).encode()
        self.process.stdin.write(struct.pack("<I", len(text)) + text)
        self.process.stdin.flush()
        while True:
            (size,) = struct.unpack("<I", self.process.stdout.read(4))
            answer = json.loads(self.process.stdout.read(size))
            if answer.get("method") == "__create__":
                made = answer["params"]
                self.made.append((made["type"], made["guid"], made["initializer"]))
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise AssertionError(answer["error"]["error"]["message"])
                return answer.get("result", {})

    def last(self, kind, **having):
        return [guid for made, guid, initializer in self.made if made == kind and having.items() <= initializer.items()][-1]

    def launch(self):
        self.call(self.last("BrowserType", name="chromium"), "launch", {"executablePath": os.environ["CHROMIUM"], "args": os.environ["CHROMIUM_ARGS"].split(" "), "timeout": 60000})

    def new_page(self, url):
        self.call(self.last("Browser"), "newContext", {})
        self.call(self.last("BrowserContext"), "newPage", {})
        page = Page(self, self.last("Frame"))
        self.call(page.frame, "goto", {"url": url, "timeout": 60000})
        return page

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Page:
    def __init__(self, driver, frame):
        self.driver, self.frame = driver, frame

    def click(self, selector):
        self.driver.call(self.frame, "click", {"selector": selector, "strict": True, "timeout": 4000})

    def text(self, selector):
        return self.driver.call(self.frame, "textContent", {"selector": selector, "strict": True, "timeout": 4000})["value"]

    def get_by_test_id(self, name):
        return Locator(self, 'internal:testid=[data-testid="%s"s]' % name)


class Locator:
    def __init__(self, page, selector):
        self.page, self.selector = page, selector

    def click(self):
        self.page.click(self.selector)
