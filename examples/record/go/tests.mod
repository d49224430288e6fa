module shop.example/tests

go 1.24

require github.com/playwright-community/playwright-go v0.6000.0

replace github.com/playwright-community/playwright-go => ../../record/go/playwright
