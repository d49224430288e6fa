package mcp_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
)

// What is proposed from the history right after a run is what the run itself
// proposed.
func TestProposalsAreThoseOfTheRun(t *testing.T) {
	const shop = "../examples/shop"
	dir := t.TempDir()
	seed, err := os.ReadFile(shop + "/.breadcrumb.db")
	if err != nil {
		t.Fatal(err)
	}
	path, patch := filepath.Join(dir, ".breadcrumb.db"), filepath.Join(dir, "ci.patch")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := ci.Config{Repo: shop, JUnit: []string{shop + "/results/*.xml"}, HealEvents: []string{shop + "/heals/*.ndjson"},
		HealDB: shop + "/.breadcrumb.db", DB: path, Patch: patch}.Defaults()
	if _, err := ci.Run(t.Context(), cfg, ci.Deps{Now: time.Now, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(patch)
	if err != nil {
		t.Fatal(err)
	}
	a := newAskerIn(t, path, os.DirFS(shop))
	if diff := cmp.Diff(string(want), a.ask("breadcrumb_propose_patches", map[string]any{"days": 0})["diff"]); diff != "" || len(want) < 1000 {
		t.Errorf("patch of %d bytes (-ci +mcp):\n%s", len(want), diff)
	}
	for _, p := range a.ask("breadcrumb_propose_patches", map[string]any{"days": 0})["proposals"].([]any) {
		if p := p.(map[string]any); (p["reason"] == "") != p["in_diff"].(bool) {
			t.Errorf("%v is not in the diff and nobody says why", p)
		}
	}
}

func TestWithoutTheSourcesEveryProposalSaysWhyItHasNoEdit(t *testing.T) {
	a := newAskerIn(t, shop(t), fstest.MapFS{})
	answer := a.ask("breadcrumb_propose_patches", map[string]any{"days": 0})
	only := answer["proposals"].([]any)[0].(map[string]any)
	if answer["diff"] != "" || only["reason"] == "" || only["replacement"] == "" {
		t.Errorf("%v", answer)
	}
}
