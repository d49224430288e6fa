module shop.example/tests

go 1.24

require github.com/mxschmitt/playwright-go v0.6100.0

require (
	github.com/deckarep/golang-set/v2 v2.8.0 // indirect
	github.com/go-jose/go-jose/v3 v3.0.5 // indirect
	github.com/go-stack/stack v1.8.1 // indirect
)
