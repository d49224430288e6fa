import pytest
from shop_page import ShopPage


def test_signs_in(page):
    page.click("#sign-in")
    assert ShopPage(page).said() == "signed in"


@pytest.mark.parametrize("product", ["mug", "spoon"])
def test_adds(page, product):
    shop = ShopPage(page)
    shop.add(product)
    assert shop.said() == product


class TestCheckout:
    class TestPayment:
        @pytest.mark.parametrize("how", ["card::debit", "é[1]"])
        def test_pays(self, page, how):
            page.click("#pay")
            assert ShopPage(page).said() == "paid"

    def test_cancels(self, page):
        page.click("#cancel")
        assert ShopPage(page).said() == "cancelled"
