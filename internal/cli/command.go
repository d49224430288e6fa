package cli

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
)

// runCommand carries out what a comment on a pull request tells Breadcrumb to
// do.
func runCommand(ctx context.Context, s Streams, vs values) error {
	d := ci.Deps{Now: time.Now, Log: newLogger(s.Err)}
	info, err := gh.LoadEvent(os.Getenv, readEvent)
	if err != nil {
		return usageError{"GitHub event: " + err.Error()}
	}
	said, err := gh.LoadComment(os.Getenv, readEvent)
	if err != nil {
		return usageError{"GitHub event: " + err.Error()}
	}
	client, err := connectGitHub(gh.NewActions(os.Getenv, s.Out, rand.Reader), vs, &d)
	if err != nil {
		return err
	}
	if client == nil {
		return usageError{"no token to answer the comment with: pass the input github-token"}
	}
	repository := client.Repository(info.Repository)
	cfg := ci.Config{DB: vs["db"].text(), EditPaths: vs["edit-paths"].items, Info: info}
	if err := openShelf(&cfg, &d, vs, client); err != nil {
		return err
	}
	return ci.Obey(ctx, cfg, said, ci.CommandDeps{
		Forge: repository, Source: repository, Branches: repository, Backend: d.Backend, Now: d.Now, Log: d.Log,
	})
}
