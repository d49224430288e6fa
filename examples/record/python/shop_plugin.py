"""The page fixture of pytest-playwright, on the stand-in."""

import pytest
from playwright.sync_api import Page


@pytest.fixture
def page():
    page = Page()
    yield page
    page.close()
