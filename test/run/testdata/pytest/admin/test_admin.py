def test_signs_in(page):
    page.click("#sign-in")
    assert page.text("[role=status]") == "signed in"
