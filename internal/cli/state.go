package cli

import (
	"fmt"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// The places that keep state.
const (
	stateAuto = "auto"
	statePath = "path"
	stateNone = "none"
)

var stateWords = []string{stateAuto, statePath, stateNone}

// shelfOf returns the shelf that the settings name, nil for none.
func shelfOf(vs values) (state.Shelf, error) {
	place, path := vs["state"].text(), vs["state-path"]
	if place == stateAuto && path.text() != "" {
		place = statePath
	}
	switch {
	case place == statePath && store.IsPostgres(vs["db"].text()):
		return nil, usageError{"state is for a database file: where db is a server, the server keeps the history of all runs"}
	case place == statePath && path.text() == "":
		return nil, usageError{fmt.Sprintf("%s: state is path; say which directory with state-path", vs["state"].from)}
	case place != statePath && path.text() != "":
		return nil, usageError{fmt.Sprintf("%s: state-path is for state path, and state is %s", path.from, place)}
	case place == statePath:
		return state.NewPath(path.text()), nil
	}
	return nil, nil
}
