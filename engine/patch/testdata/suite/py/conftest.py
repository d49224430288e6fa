import pytest

from pages.login_page import LoginPage

pytest_plugins = ["support.plugins"]


@pytest.fixture
def login_page(page):
    page.get_by_role("button", name="Accept all").click()
    return LoginPage(page)
