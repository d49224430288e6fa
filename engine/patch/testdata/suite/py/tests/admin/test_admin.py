import pytest
from pages.login_page import LoginPage


@pytest.mark.parametrize("role", ["admin", "owner"])
class TestAdmin:
    ROW = "tr.user-row"

    def test_signs_in(self, login_page: LoginPage, settings, page, role):
        button = "#save"
        login_page.sign_in("ann", "secret")
        page.locator(button).click()
        page.locator(self.ROW).first.click()
        page.get_by_text("Welcome back").wait_for()

    def test_other(self, page):
        page.get_by_text("Other only").click()


async def test_async(page):
    await page.get_by_alt_text("Company logo").click()
