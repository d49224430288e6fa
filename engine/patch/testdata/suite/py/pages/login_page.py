"""The login page. Its button was '#login-old' once."""
from playwright.sync_api import Page

from . import locators
from .base_page import BasePage
from .locators import (
    FORGOT_LINK,
    Login as L,
)


class LoginPage(BasePage):
    _hint: str = '.field-hint'
    TRACE = "#trace"

    def __init__(self, page: Page):
        super().__init__(page)
        self.user = page.get_by_label("User name")
        self.submit = self.page.get_by_role(
            "button",
            name='Sign in',
        )
        self.remember = "#remember-me"

    @property
    def captcha(self):
        return self.page.frame_locator("iframe.captcha").get_by_role("checkbox", name="I'm not a robot")

    def sign_in(self, user: str, password: str):
        self.user.fill(user)
        self.page.locator(locators.PASSWORD).fill(password)
        self.page.locator(L.ERROR).wait_for()
        self.page.locator(self._hint).hover()
        self.page.click(self.remember)
        self.page.locator(FORGOT_LINK).click()
        self.page.locator(locators.MENU["profile"]).click()
        show(self.TRACE, self.page.locator(self.TRACE))

    def dynamic(self, n):
        self.page.locator(f"#row-{n}").click()
        self.page.locator("#cell-%d" % n).click()
        self.page.locator("#col-{}".format(n)).click()
        self.page.locator(f'{self.page.locator("#inner-f")}').click()
