import pytest
from playwright.sync_api import Page, expect


class TestSearch:
    def test_finds_a_mug(self, page: Page) -> None:
        page.goto("/search.html")
        page.locator("#search-box").fill("mug")
        page.keyboard.press("Enter")
        expect(page.locator("[role=status]")).to_have_text("2 found")

    def test_suggestions(self, page: Page) -> None:
        page.goto("/search.html")
        page.locator("input[name=q]").fill("spoon")
        expect(page.locator(".suggestions li")).to_have_text("Wooden spoon", timeout=1000)

    @pytest.mark.parametrize("query", ["kettle", "fork & knife"])
    def test_finds_nothing(self, page: Page, query: str) -> None:
        page.goto("/search.html")
        page.locator("input[name=q]").fill(query)
        page.keyboard.press("Enter")
        expect(page.locator("[role=status]")).to_have_text("0 found")
