package store

import (
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
)

func entryOf(number int) flaky.Entry {
	return flaky.Entry{TestID: fmt.Sprintf("quarantined %d", number), Reason: "PROJ-1", Since: time.Unix(1_700_000_000, 0)}
}
