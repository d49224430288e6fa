import os

import pytest
from playwright_client import Driver


@pytest.fixture(scope="session")
def driver():
    driver = Driver(os.environ["PLAYWRIGHT_CLI"])
    driver.launch()
    yield driver
    driver.close()


@pytest.fixture
def page(driver):
    return driver.new_page(os.environ["SHOP_URL"])
