class ShopPage:
    def __init__(self, page):
        self.page = page

    def add(self, product):
        self.page.click("#add-" + product)

    def said(self):
        return self.page.text("[role=status]")
