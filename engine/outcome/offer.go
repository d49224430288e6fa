package outcome

import "github.com/breadcrumb/action/engine/patch"

// Suggestion is one edit of a run that is sure enough to be made with one click.
// Proposals with the same edit are one offer.
type Suggestion struct {
	ID       string     // short name, stable as long as path, old and new text and test are
	Proposal int        // index in Run.Proposals of the first proposal with the edit
	Path     string     // Edit.File from the repository's top
	Edit     patch.Edit // File is relative to the checkout folder
	Column   int        // bytes of the line before the literal
	Blob     string     // git's hash of the file that was read
	Tests    []string   // ids of the tests that healed it, sorted
	Unproven string     // why no command can make it: its file alone does not prove it, "" when it does
}
