from playwright.sync_api import Page, expect

SUBMIT = "button[type=submit]"


class TestLogin:
    def test_ok(self, page: Page) -> None:
        page.goto("/login.html")
        page.locator('#username').fill("ada")
        page.locator("#password").fill("lovelace")
        page.locator(SUBMIT).click()
        expect(page.locator("h1")).to_have_text("Ada Lovelace")

    def test_wrong_password(self, page: Page) -> None:
        page.goto("/login.html")
        page.locator("input[name=username]").fill("ada")
        page.locator("#password").fill("byron")
        page.locator(SUBMIT).click()
        expect(page.locator("[role=alert]")).to_have_text("Wrong name or password")
