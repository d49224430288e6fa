import pytest


@pytest.fixture(autouse=True)
def close_survey(page):
    page.locator("#survey-close").click()
