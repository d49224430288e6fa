package cli

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "64KB": 64 << 10, "200 mb": 200 << 20, "1GB": 1 << 30, "1TB": 1 << 40,
		"": -1, "0": -1, "-1": -1, "1.5GB": -1, "GB": -1, "2TB": -1, "9223372036854775807KB": -1, "1XB": -1,
	} {
		got, err := parseBytes(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
}
