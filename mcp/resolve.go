package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/store"
)

// maxOffered is how many tests are named where none is the one asked for.
const maxOffered = 5

// resolve returns the identity of the test that an argument names as answers
// show it, and the argument itself where no test that ran is so shown.
func resolve(ctx context.Context, db Database, asked string) (string, error) {
	id := store.CleanID(asked)
	if asked == "" {
		return "", nil
	}
	if known, err := db.HasTest(ctx, id); known || err != nil {
		return id, err
	}
	names, err := names(ctx, db)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(names, func(name string) bool { return shown(name) == asked }); i >= 0 {
		return names[i], nil
	}
	return id, nil
}

// names returns the tests that ran.
func names(ctx context.Context, db Database) ([]string, error) {
	histories, _, err := db.HistoriesSince(ctx, 1, time.Unix(0, 0))
	if err != nil {
		return nil, err
	}
	all := make([]string, len(histories))
	for i, h := range histories {
		all[i] = h.TestID
	}
	return all, nil
}

// unknownTest is the error for a test that nothing is known of. It names some
// that hold the words that were asked for.
func unknownTest(ctx context.Context, db Database, asked string) error {
	names, err := names(ctx, db)
	if err != nil {
		return err
	}
	var offered []string
	for _, name := range names {
		if text := shown(name); strings.Contains(strings.ToLower(text), strings.ToLower(asked)) && len(offered) < maxOffered {
			offered = append(offered, text)
		}
	}
	if offered != nil {
		return Problem(fmt.Sprintf("no test is called %q; these hold it: %q", shown(asked), offered))
	}
	return Problem(fmt.Sprintf("no test is called %q; breadcrumb_flaky_tests lists the tests", cmp.Or(shown(asked), asked)))
}
