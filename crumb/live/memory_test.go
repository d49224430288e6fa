package live

import (
	"fmt"
	"testing"
)

func TestAMemoryHoldsTheLastHealsOnly(t *testing.T) {
	var m memory
	for i := range maxMemory + 200 {
		m.add(memoryKey{locator: fmt.Sprintf("#x%d", i%3)}, remembered{page: fmt.Sprintf("/page/%d", i)})
	}
	n := 0
	for _, list := range m.heals {
		n += len(list)
		for _, r := range list {
			if r.page == "/page/0" || r.page == "/page/199" {
				t.Errorf("%s is still there", r.page)
			}
		}
	}
	if n != maxMemory || len(m.order) != maxMemory {
		t.Errorf("%d heals, %d in order, want %d", n, len(m.order), maxMemory)
	}
}

func TestAMemoryKeepsOneHealOfALocatorOnAPage(t *testing.T) {
	var m memory
	for _, selector := range []string{"#a", "#b"} {
		m.add(memoryKey{locator: "#x"}, remembered{page: "/", selector: selector})
	}
	if list := m.heals[memoryKey{locator: "#x"}]; len(list) != 1 || list[0].selector != "#b" || len(m.order) != 1 {
		t.Errorf("%+v", list)
	}
}
