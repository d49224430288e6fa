"""The few calls of playwright.sync_api that the example's tests use.

Debian has no Playwright for Python, so the calls go to server.js, which makes
them with Playwright for Node.
"""

import inspect
import os
import time
import urllib.error
import urllib.parse
import urllib.request


class Error(Exception):
    """A browser call that failed."""


def call(verb: str, **fields: object) -> str:
    url = f"{os.environ['SHOP_URL']}/driver/{verb}"
    body = urllib.parse.urlencode(fields).encode()
    try:
        with urllib.request.urlopen(url, body) as response:
            return response.read().decode()
    except urllib.error.HTTPError as fault:
        raise Error(fault.read().decode()) from None


class Locator:
    def __init__(self, page: str, selector: str) -> None:
        self._page, self._selector = page, selector
        frame = inspect.stack()[2]
        self._site = (os.path.relpath(frame.filename), frame.lineno)

    def click(self) -> None:
        self._act("click")

    def fill(self, value: str) -> None:
        self._act("fill", value=value)

    def inner_text(self) -> str:
        return call("read", page=self._page, selector=self._selector, what="innerText")

    def _act(self, action: str, **fields: object) -> None:
        file, line = self._site
        test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        call("act", page=self._page, selector=self._selector, action=action, runner="pytest", test=test, file=file, line=line, **fields)


class Keyboard:
    def __init__(self, page: str) -> None:
        self._page = page

    def press(self, key: str) -> None:
        call("press", page=self._page, key=key)


class Page:
    def __init__(self) -> None:
        self._id = call("open")
        self.keyboard = Keyboard(self._id)

    def goto(self, url: str) -> None:
        call("goto", page=self._id, url=url)

    def locator(self, selector: str) -> Locator:
        return Locator(self._id, selector)

    def close(self) -> None:
        call("close", page=self._id)


class expect:
    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def to_have_text(self, want: str, timeout: float = 2000) -> None:
        """Polls until the text is want or timeout milliseconds have passed."""
        __tracebackhide__ = True
        end = time.monotonic() + timeout / 1000
        while True:
            try:
                got = self._locator.inner_text()
            except Error:
                got = "<element(s) not found>"
            if got == want:
                return
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        raise AssertionError(f"Locator expected to have text '{want}'\nActual value: {got}")
