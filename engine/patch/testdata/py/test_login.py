"""Login tests. page.locator("#docstring") is only text."""
import pytest
from playwright.sync_api import Page, expect

LOGIN = "#login-constant"


@pytest.fixture
def cart(page: Page):
    page.locator("#open-cart").click()
    yield page.get_by_test_id("cart")


def test_sign_in(page: Page) -> None:
    page.locator("#login-btn").click()
    page.get_by_role("textbox", name="E-mail").fill("ann@shop.example")
    page.get_by_role(
        "button",
        name='Sign in',
        exact=True,
    ).click()
    page.get_by_test_id("welcome").wait_for()
    page.get_by_placeholder(text="Search").fill("shoes")
    page.locator(r"input[name=\"q\"]").click()
    page.locator('''#triple''').click()
    page.locator(f".plain-f").click()


@pytest.mark.parametrize("size", ["s", "m"])
def test_size(page, size):
    page.locator("#size-picker").click()
    page.locator(f"#size-{size}").click()
    page.locator("#size-" "joined").click()
    page.locator("#opt-%s" % size).click()
    page.locator("#fmt-{}".format(size)).click()
    page.locator("#yes" if size else "#no").click()
    page.locator(LOGIN).click()


class TestAccount:
    def test_saves(self, page):
        page.get_by_text("Save profile").click()
        page.locator(".row").filter(has_text="Ann").click()
        # page.locator("#commented").click()
        page.locator(b"#bytes").click()

    def test_saves_address(self, page):
        page.get_by_text("Save address").click()
        page.get_by_text("Save profile").is_visible()
        page.locator("#dup").click()
        page.locator("#dup").fill("x")


class TestOther:
    def test_saves(self, page):
        page.get_by_label("Nick name").fill("bob")
        page.fill("#city", "Rome")
        page.locator("#city-note").fill("#city")


async def test_async(page):
    await page.locator("#async-btn").click()
    assert f"{page.locator("#nested").count()}" == "1"
