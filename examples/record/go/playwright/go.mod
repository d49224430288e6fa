module github.com/mxschmitt/playwright-go

go 1.24
