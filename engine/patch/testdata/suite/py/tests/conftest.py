import pytest


@pytest.fixture
def settings(page):
    page.get_by_test_id("open-settings").click()
