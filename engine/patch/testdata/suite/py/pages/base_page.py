from playwright.sync_api import Page, expect


class BasePage:
    HEADER = "header.site"

    def __init__(self, page: Page) -> None:
        self.page = page
        self.banner = page.locator(".banner")

    def header(self):
        return self.page.locator(self.HEADER)

    def expect_toast(self, text: str) -> None:
        expect(self.page.get_by_role("status", name="Saved")).to_have_text(text)
