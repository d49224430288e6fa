// Command github carries out what a release asks of GitHub's API. Every call can be made
// again: what is there already stays.
//
//	github preflight VERSION REF COMMIT <TAGS
//	                                    looks at what a release of the version rests on, by
//	                                    a run on this branch, where the repository has these
//	                                    tags, one a line
//	github publish VERSION DIRECTORY    drafts the release of a tag with the files of
//	                                    the directory, and publishes it
//	github withdraw VERSION INSTEAD     says on the release's page that it is withdrawn
//
// It reads GITHUB_API_URL, GITHUB_REPOSITORY and GH_TOKEN.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv, streams{os.Stdin, os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
}

// streams are the process's.
type streams struct {
	in  io.Reader
	out io.Writer
}

// run does what the arguments say and prints what came of it.
func run(ctx context.Context, args []string, getenv func(string) string, std streams) error {
	for _, name := range []string{"GITHUB_API_URL", "GITHUB_REPOSITORY", "GH_TOKEN"} {
		if getenv(name) == "" {
			return fmt.Errorf("%s is not set", name)
		}
	}
	r := &repository{api: strings.TrimSuffix(getenv("GITHUB_API_URL"), "/") + "/repos/" + getenv("GITHUB_REPOSITORY"), token: getenv("GH_TOKEN"), out: std.out}
	switch {
	case len(args) == 4 && args[0] == "preflight" && args[2] != "" && args[3] != "":
		r.ref, r.commit = args[2], args[3]
		return r.preflight(ctx, args[1], std.in)
	case len(args) == 3 && args[0] == "publish":
		return r.publish(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "withdraw":
		return r.withdraw(ctx, args[1], args[2])
	}
	return errors.New("usage: github preflight VERSION REF COMMIT, publish VERSION DIRECTORY or withdraw VERSION INSTEAD")
}

// repository is a repository on GitHub.
type repository struct {
	api, token  string
	ref, commit string // of the workflow's run
	out         io.Writer
}

// refusal is an answer that is no success.
type refusal struct {
	request string
	status  int
	message string
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %d %s", r.request, r.status, r.message) }

// call makes one request below the repository, with body as JSON where it is not nil, and
// reads the answer into answer, unless that is nil.
func (r *repository) call(ctx context.Context, method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.api+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	return r.send(request, answer)
}

// maxAnswer is more than GitHub answers with.
const maxAnswer = 64 << 20

func (r *repository) send(request *http.Request, answer any) error {
	request.Header.Set("Authorization", "Bearer "+r.token)
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	answered, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answered.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answered.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", request.Method, request.URL.Path, err)
	}
	if answered.StatusCode >= http.StatusMultipleChoices {
		var said struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(text, &said) != nil {
			said.Message = http.StatusText(answered.StatusCode)
		}
		return &refusal{request.Method + " " + request.URL.Path, answered.StatusCode, said.Message}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
