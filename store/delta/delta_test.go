package delta_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/store/delta"
)

func sample() *delta.Delta {
	key := delta.Key{RepositoryID: 7, RunID: 900, RunAttempt: 1, Workflow: "ci.yml", Job: "e2e", ReportDigest: "ab"}
	payload := bytes.Repeat([]byte{7}, 32)
	took := 12.5
	return &delta.Delta{Run: &key, Schema: 6, Records: []delta.Record{
		&delta.Result{Run: key.ID(payload), Test: "b › <c> & d", Attempt: 1, Status: "failed", DurationMS: &took, Error: "AssertionError"},
		&delta.Result{Run: key.ID(payload), Test: "b › <c> & d", Attempt: 2, Status: "passed"},
		&delta.Run{Key: key, Payload: payload, Origin: 1, Results: 2, StartedAt: 1.7e9, RecordedAt: 1.7e9 + .25},
		&delta.Heal{Kind: delta.KindHeal, Digest: payload, Test: "b", Locator: "#x", Confidence: .9},
		&delta.Change{Action: "add", At: 1, Test: "b", Who: "ada"},
		&delta.Unknown{Line: `{"_":"zebra","stripes":3}`},
	}}
}

func written(t *testing.T, d *delta.Delta) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed compresses a delta of raw lines with a header that fits.
func packed(t *testing.T, header string, lines ...string) []byte {
	t.Helper()
	body := strings.Join(lines, "\n")
	if body != "" {
		body += "\n"
	}
	if header == "" {
		sum := sha256.Sum256([]byte(body))
		counts := map[string]int{}
		for _, line := range lines {
			kind, _, _ := strings.Cut(strings.TrimPrefix(line, `{"_":"`), `"`)
			counts[kind]++
		}
		var listed []string
		for kind, n := range counts {
			listed = append(listed, fmt.Sprintf("%q:%d", kind, n))
		}
		header = fmt.Sprintf(`{"body":%q,"counts":{%s},"format":%q,"schema":6}`, hex.EncodeToString(sum[:]), strings.Join(listed, ","), delta.Format)
	}
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = z.Write([]byte(header + "\n" + body))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	d := sample()
	got, err := delta.Read(bytes.NewReader(written(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := d.Body()
	again, _, err := got.Body()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(again)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(d.Run, got.Run); diff != "" || got.Schema != 6 {
		t.Errorf("schema %d, %s", got.Schema, diff)
	}
}

func TestFieldsAndKindsOfANewerVersionAreHandedOn(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"_":"comet","tail":[1,2]}`,
		`{"_":"result","attempt":1,"browser":"chromium","run":"r","status":"passed","test":"a"}`,
		`{"_":"result","attempt":2,"browser":"firefox","run":"r","test":"a"}`,
	}
	d, err := delta.Read(bytes.NewReader(packed(t, "", lines...)))
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := d.Body()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		lines[0],
		`{"_":"result","attempt":1,"browser":"chromium","run":"r","test":"a"}`,
		`{"_":"result","attempt":1,"run":"r","status":"passed","test":"a"}`,
		lines[2],
	}, "\n") + "\n"
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}
	again, err := delta.Read(bytes.NewReader(written(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	if second, _, _ := again.Body(); string(second) != want {
		t.Errorf("read again: %s", second)
	}
}

// A version hands on what it does not know of a run beside the run itself; one that
// knows it reads both.
func TestWhatAnOlderVersionHandedOnOfARunIsRead(t *testing.T) {
	t.Parallel()
	for line, known := range map[string]bool{
		`{"_":"run","key":{"run_id":9},"payload":"BwcH","workflow_id":5}`:            true,
		`{"_":"run","key":{"run_id":9},"payload":"BwcH","tail":1,"workflow_id":5}`:   false,
		`{"_":"comet","key":{"run_id":9},"payload":"BwcH","workflow_id":5}`:          false,
		`{"_":"run","key":{"run_id":9},"payload":"BwcH","pull_requests":"12 13"}`:    true,
		`{"_":"run","branch":"b","key":{"run_id":9},"payload":"BwcH","results":0}`:   true,
		`{"_":"run","key":{"run_id":9},"payload":"BwcH","pull_request":4,"tail":{}}`: false,
	} {
		d, err := delta.Read(bytes.NewReader(packed(t, "", line)))
		if err != nil || len(d.Records) != 1 {
			t.Errorf("%s: %v", line, err)
			continue
		}
		r, all := d.Records[0].(*delta.Unknown).DecodeRun()
		if all != known || known && r.Key.RunID != 9 {
			t.Errorf("%s: %+v, %v", line, r, all)
		}
		if body, _, err := d.Body(); err != nil || string(body) != line+"\n" {
			t.Errorf("%s: handed on as %s, %v", line, body, err)
		}
	}
}

func TestADeltaThatIsNotWhatItSaysIsRefused(t *testing.T) {
	t.Parallel()
	good := written(t, sample())
	line := `{"_":"result","attempt":1,"run":"r","status":"passed","test":"a"}`
	for name, text := range map[string][]byte{
		"empty":               nil,
		"no Zstandard":        []byte("PK\x03\x04"),
		"cut":                 good[:len(good)-9],
		"only a header":       packed(t, `{"body":"","counts":{},"format":"breadcrumb.delta/v1","schema":6}`),
		"another digest":      packed(t, `{"body":"00","counts":{"result":1},"format":"breadcrumb.delta/v1","schema":6}`, line),
		"another format":      packed(t, `{"body":"","counts":{},"format":"tar","schema":6}`),
		"no header":           packed(t, line),
		"a line twice":        packed(t, "", line, line),
		"lines out of order":  packed(t, "", strings.Replace(line, `"a"`, `"b"`, 1), line),
		"spaces":              packed(t, "", strings.Replace(line, `,"run"`, `, "run"`, 1)),
		"a key twice":         packed(t, "", strings.Replace(line, `"run":"r"`, `"run":"q","run":"r"`, 1)),
		"a key in capitals":   packed(t, "", strings.Replace(line, `"test"`, `"TEST"`, 1)),
		"a run of no run":     packed(t, "", `{"_":"run","workflow_id":5}`),
		"a value of a kind":   packed(t, "", strings.Replace(line, `"attempt":1`, `"attempt":"1"`, 1)),
		"no object":           packed(t, "", `[1]`),
		"invalid UTF-8":       packed(t, "", strings.Replace(line, `"a"`, "\"\xff\"", 1)),
		"an unsorted unknown": packed(t, "", `{"_":"zebra","b":1,"a":2}`),
	} {
		if d, err := delta.Read(bytes.NewReader(text)); err == nil {
			t.Errorf("%s: read as %d records", name, len(d.Records))
		}
	}
	newer := packed(t, `{"body":"","counts":{},"format":"breadcrumb.delta/v2","schema":9}`)
	if _, err := delta.Read(bytes.NewReader(newer)); !errors.Is(err, delta.ErrNewer) {
		t.Errorf("a newer format: %v, want ErrNewer", err)
	}
}

func TestABombIsRefused(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	zeros := bytes.Repeat([]byte("{\"_\":\"a\"}\n"), 100_000)
	for range 400 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := delta.Read(&b); err == nil {
		t.Error("400 MB were read")
	}
	long := packed(t, "", `{"_":"zebra","a":"`+strings.Repeat("a", 17<<20)+`"}`)
	if _, err := delta.Read(bytes.NewReader(long)); !errors.Is(err, delta.ErrTooLarge) {
		t.Errorf("a line of 17 MB: %v, want ErrTooLarge", err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := delta.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := delta.Read(bytes.NewReader(written(t, d)))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := d.Body()
		second, _, _ := again.Body()
		if !bytes.Equal(first, second) {
			t.Errorf("first\n%s\nthen\n%s", first, second)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add(`{"_":"result","attempt":1,"browser":"x","run":"r","status":"passed","test":"a"}`)
	f.Add(`{"_":"zebra","a":null}`)
	f.Add(`{"_":"veto","at":1,"locator":"#x","signature":"s","test":"","who":"ada"}`)
	f.Add(`{"_":"lesson","at":1,"now":"log in","tone":"b","was":"sign in","who":"ada"}`)
	f.Add(`{"_":"forgotten","at":1,"locator":"#x","test":"a"}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		d, err := delta.Read(bytes.NewReader(packed(t, "", line)))
		if err != nil {
			return
		}
		if _, err := delta.Read(bytes.NewReader(written(t, d))); err != nil {
			t.Fatal(err)
		}
	})
}
