module shop.example/tests

go 1.24

require github.com/mxschmitt/playwright-go v0.6100.0

replace github.com/mxschmitt/playwright-go => ../../record/go/playwright
