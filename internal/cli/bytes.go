package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// maxBytes is the largest size a setting takes.
const maxBytes = 1 << 40

// parseBytes reads a size in bytes: "4096", "64KB", "200 MB", "1GB".
func parseBytes(text string) (int64, error) {
	digits := strings.ToUpper(strings.TrimSpace(text))
	unit := int64(1)
	for i, suffix := range []string{"KB", "MB", "GB", "TB"} {
		if cut, found := strings.CutSuffix(digits, suffix); found {
			digits, unit = strings.TrimSpace(cut), int64(1)<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read size: %w", err)
	}
	if n < 1 || n > maxBytes/unit {
		return 0, fmt.Errorf("size %s is out of range", text)
	}
	return n * unit, nil
}

// bytes reads a value that check has passed.
func (v value) bytes() int64 {
	n, _ := parseBytes(v.text())
	return n
}
