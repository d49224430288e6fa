package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/state"
)

const folder = "breadcrumb-state"

// entry is one header of a tar and what follows it.
type entry struct {
	header tar.Header
	text   string
}

func tarOf(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	packer, err := zstd.NewWriter(&out)
	if err != nil {
		tb.Fatal(err)
	}
	w := tar.NewWriter(packer)
	for _, e := range entries {
		e.header.Size, e.header.Mode = int64(len(e.text)), 0o644
		if e.header.Typeflag == 0 {
			e.header.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(&e.header); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packer.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func file(name, text string) entry { return entry{tar.Header{Name: name}, text} }

func root(tb testing.TB) *os.Root {
	tb.Helper()
	r, err := os.OpenRoot(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

func TestUntarTakesPlainFilesOfItsFolderAlone(t *testing.T) {
	t.Parallel()
	home := entry{tar.Header{Name: folder + "/", Typeflag: tar.TypeDir}, ""}
	for name, c := range map[string]struct {
		archive []byte
		want    error
	}{
		"with its folder":    {tarOf(t, home, file(folder+"/a", "x")), nil},
		"without its folder": {tarOf(t, file(folder+"/a", "x")), nil},
		"the top":            {tarOf(t, file("a", "x")), state.ErrHostile},
		"above":              {tarOf(t, file(folder+"/../../a", "x")), state.ErrHostile},
		"absolute":           {tarOf(t, file("/etc/passwd", "x")), state.ErrHostile},
		"deeper":             {tarOf(t, file(folder+"/b/a", "x")), state.ErrHostile},
		"twice":              {tarOf(t, file(folder+"/a", "x"), file(folder+"/a", "y")), state.ErrHostile},
		"a link":             {tarOf(t, entry{tar.Header{Name: folder + "/a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""}), state.ErrHostile},
		"a hard link":        {tarOf(t, entry{tar.Header{Name: folder + "/a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}), state.ErrHostile},
		"a device":           {tarOf(t, entry{tar.Header{Name: folder + "/a", Typeflag: tar.TypeChar}, ""}), state.ErrHostile},
		"another folder":     {tarOf(t, entry{tar.Header{Name: "b/", Typeflag: tar.TypeDir}, ""}), state.ErrHostile},
		"a bomb":             {tarOf(t, file(folder+"/a", strings.Repeat("\x00", state.MaxBytes+1))), state.ErrTooLarge},
		"bombs":              {tarOf(t, file(folder+"/a", strings.Repeat("\x00", state.MaxBytes)), file(folder+"/b", "x")), state.ErrTooLarge},
		"a bomb of headers":  {tarOf(t, many(101)...), state.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if err := archive.UntarZstd(bytes.NewReader(c.archive), folder, root(t)); !errors.Is(err, c.want) {
				t.Errorf("UntarZstd = %v, want %v", err, c.want)
			}
		})
	}
}

func many(n int) []entry {
	var all []entry
	for i := range n {
		all = append(all, file(folder+"/"+strings.Repeat("a", i%90+1)+strings.Repeat("b", i/90), "x"))
	}
	return all
}

func TestPackingTheSameFilesGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"b": {Data: []byte("2"), Mode: 0o600}, "a": {Data: []byte("1"), Mode: 0o644}}
	for name, pack := range map[string]func() ([]byte, error){
		"zip": func() ([]byte, error) { return archive.Zip(files) },
		"tar": func() ([]byte, error) { return archive.TarZstd(files, folder) },
	} {
		first, err := pack()
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if again, err := pack(); err != nil || !bytes.Equal(first, again) {
				t.Fatalf("%s: other bytes, or %v", name, err)
			}
		}
	}
	if _, err := archive.Zip(fstest.MapFS{"d/a": {Data: []byte("1")}}); !errors.Is(err, state.ErrHostile) {
		t.Errorf("a folder: %v", err)
	}
}

// Whatever the bytes, unpacking ends, stays below the bound and writes plain
// files into the one directory.
func FuzzUnzip(f *testing.F) {
	good, err := archive.Zip(fstest.MapFS{"a": {Data: []byte("text")}, "b": {Data: nil}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-10])
	f.Fuzz(func(t *testing.T, text []byte) {
		into := root(t)
		_ = archive.Unzip(bytes.NewReader(text), int64(len(text)), into)
		checkFiles(t, into)
	})
}

func FuzzUntarZstd(f *testing.F) {
	good, err := archive.TarZstd(fstest.MapFS{"a": {Data: []byte("text")}}, folder)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(tarOf(f, file("../a", "x"), file(folder+"/a", "x")))
	f.Fuzz(func(t *testing.T, text []byte) {
		into := root(t)
		_ = archive.UntarZstd(bytes.NewReader(text), folder, into)
		checkFiles(t, into)
	})
}

func checkFiles(t *testing.T, into *os.Root) {
	t.Helper()
	entries, err := fs.ReadDir(into.FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			t.Fatalf("%s is no plain file: %v", e.Name(), err)
		}
		size += info.Size()
	}
	if size > state.MaxBytes+1 {
		t.Errorf("%d bytes were written", size)
	}
}
