package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestAClipHasItsElementInTheMiddleAndStaysInTheView(t *testing.T) {
	view := engine.BoundingBox{Width: 1280, Height: 720}
	for name, c := range map[string]struct{ element, view, want engine.BoundingBox }{
		"in the middle":      {engine.BoundingBox{X: 600, Y: 350, Width: 80, Height: 20}, view, engine.BoundingBox{X: 400, Y: 225, Width: 480, Height: 270}},
		"at the upper left":  {engine.BoundingBox{X: 4, Y: 4, Width: 10, Height: 10}, view, engine.BoundingBox{Width: 480, Height: 270}},
		"at the lower right": {engine.BoundingBox{X: 1270, Y: 700, Width: 10, Height: 20}, view, engine.BoundingBox{X: 800, Y: 450, Width: 480, Height: 270}},
		"larger":             {engine.BoundingBox{X: 100, Y: 200, Width: 900, Height: 20}, view, engine.BoundingBox{X: 92, Y: 75, Width: 480, Height: 270}},
		"a narrow view":      {engine.BoundingBox{X: 100, Y: 400, Width: 50, Height: 20}, engine.BoundingBox{Width: 390, Height: 844}, engine.BoundingBox{Y: 275, Width: 390, Height: 270}},
		"outside":            {engine.BoundingBox{X: 100, Y: 900, Width: 50, Height: 20}, view, engine.BoundingBox{}},
	} {
		if diff := cmp.Diff(c.want, Clip(c.element, c.view)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestANewPictureHidesAndOutlines(t *testing.T) {
	secret := engine.BoundingBox{X: 200, Y: 20, Width: 60, Height: 40}
	content, err := New(pngOf(t, noise(480, 270)), engine.BoundingBox{X: 40, Y: 40, Width: 60, Height: 20}, []engine.BoundingBox{secret,
		{X: -1e300, Y: math.Inf(-1), Width: 2, Height: math.Inf(1)}, {X: math.NaN(), Y: 1e300, Width: 1e300, Height: 5}})
	must(t, err)
	shown, err := jpeg.Decode(bytes.NewReader(content))
	must(t, err)
	if len(content) > MaxBytes {
		t.Errorf("%d bytes", len(content))
	}
	for y := 26; y < 54; y++ {
		for x := 206; x < 254; x++ {
			if g := color.GrayModel.Convert(shown.At(x, y)).(color.Gray).Y; g < 0x70 || g > 0x90 {
				t.Fatalf("the secret shows at %d, %d: %x", x, y, g)
			}
		}
	}
	if r, g, _, _ := shown.At(70, 38).RGBA(); r < 2*g {
		t.Error("there is no outline")
	}
}

func TestAScreenshotBeyondTheBoundsIsRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"no PNG":    []byte("hello"),
		"too large": pngOf(t, image.NewGray(image.Rect(0, 0, MaxWidth+1, 10))),
		"too heavy": make([]byte, maxScreenshot+1),
	} {
		if _, err := New(content, engine.BoundingBox{}, nil); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestAFolderHoldsOnlySoManyPictures(t *testing.T) {
	events := filepath.Join(t.TempDir(), "heals", "run.ndjson")
	first, err := Save(events, []byte("0"))
	must(t, err)
	for i := range MaxCount - 1 {
		_, err := Save(events, fmt.Append(nil, i+1))
		must(t, err)
	}
	if _, err := Save(events, []byte("one more")); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	again, err := Save(events, []byte("0"))
	if again != first || err != nil || !engine.IsPictureName(first) {
		t.Errorf("the same picture is %q and %q (%v)", first, again, err)
	}
}

func TestAForeignFileIsNoPicture(t *testing.T) {
	folder := t.TempDir()
	name := func(digit string) string { return strings.Repeat(digit, 32) + ".jpg" }
	small := jpegOf(t, noise(40, 30))
	write := func(digit string, content []byte) {
		must(t, os.WriteFile(filepath.Join(folder, name(digit)), content, 0o644))
	}
	write("a", append(bytes.Clone(small), "<script>alert(1)</script>"...))
	write("b", []byte("<svg onload=alert(1)>"))
	write("c", jpegOf(t, image.NewGray(image.Rect(0, 0, 20_000, 20))))
	write("d", append(bytes.Clone(small), make([]byte, MaxBytes)...))
	outside := filepath.Join(t.TempDir(), "secret.jpg")
	must(t, os.WriteFile(outside, small, 0o644))
	must(t, os.Symlink(outside, filepath.Join(folder, name("e"))))
	must(t, os.Mkdir(filepath.Join(folder, name("f")), 0o755))
	root, err := os.OpenRoot(folder)
	must(t, err)
	defer root.Close()

	got, err := Load(root, name("a"))
	must(t, err)
	if bytes.Contains(got, []byte("script")) {
		t.Error("what stands behind the picture goes on")
	}
	for what, bad := range map[string]string{
		"no picture": name("b"), "too many pixels": name("c"), "too many bytes": name("d"), "a link": name("e"), "a folder": name("f"), "none": name("0"),
		"a way out": "../secret.jpg", "another name": "a.jpg", "an absolute one": outside, "": "",
	} {
		if _, err := Load(root, bad); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}

// Whatever a file holds, what is read of it is a picture within the bounds, and reading
// that again changes nothing of its size.
func FuzzLoad(f *testing.F) {
	f.Add(jpegOf(f, noise(48, 27)))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		folder, name := t.TempDir(), strings.Repeat("0", 32)+".jpg"
		must(t, os.WriteFile(filepath.Join(folder, name), content, 0o644))
		root, err := os.OpenRoot(folder)
		must(t, err)
		defer root.Close()
		got, err := Load(root, name)
		if err != nil {
			return
		}
		size, err := jpeg.DecodeConfig(bytes.NewReader(got))
		if err != nil || size.Width > MaxWidth || size.Height > MaxHeight || len(got) > MaxBytes {
			t.Errorf("%d × %d, %d bytes, %v", size.Width, size.Height, len(got), err)
		}
	})
}

// noise is the image that packs worst.
func noise(width, height int) image.Image {
	rnd := rand.New(rand.NewPCG(1, 2))
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src)
	for i := range canvas.Pix {
		if i%4 != 3 {
			canvas.Pix[i] = byte(rnd.Uint32())
		}
	}
	return canvas
}

func pngOf(tb testing.TB, shown image.Image) []byte {
	tb.Helper()
	var out bytes.Buffer
	must(tb, png.Encode(&out, shown))
	return out.Bytes()
}

func jpegOf(tb testing.TB, shown image.Image) []byte {
	tb.Helper()
	var out bytes.Buffer
	must(tb, jpeg.Encode(&out, shown, nil))
	return out.Bytes()
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestACropIsTheScaledPartAroundItsElement(t *testing.T) {
	view, element := engine.BoundingBox{Width: 1280, Height: 720}, engine.BoundingBox{X: 640, Y: 320, Width: 80, Height: 40}
	content, err := Crop(jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 450))), element, view)
	must(t, err)
	shown, err := jpeg.Decode(bytes.NewReader(content))
	must(t, err)
	if size := shown.Bounds().Size(); size != image.Pt(SmallWidth, SmallHeight) || len(content) > SmallBytes {
		t.Errorf("%v, %d bytes", size, len(content))
	}
	if r, g, _, _ := shown.At(160, 76).RGBA(); r < 2*g { // above the element's middle
		t.Errorf("no outline: %x, %x", r, g)
	}
	for name, c := range map[string]struct {
		content       []byte
		element, view engine.BoundingBox
	}{
		"another view":    {jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 600))), element, view},
		"no view":         {jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 450))), element, engine.BoundingBox{}},
		"outside":         {jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 450))), engine.BoundingBox{X: 3000, Width: 5, Height: 5}, view},
		"no number":       {jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 450))), engine.BoundingBox{X: math.NaN(), Width: 5, Height: 5}, view},
		"too many pixels": {jpegOf(t, image.NewGray(image.Rect(0, 0, 2001, 4))), element, engine.BoundingBox{Width: 2001, Height: 4}},
		"too many bytes":  {append(jpegOf(t, image.NewGray(image.Rect(0, 0, 800, 450))), make([]byte, maxFrame)...), element, view},
		"no picture":      {[]byte("GIF89a"), element, view},
	} {
		if _, err := Crop(c.content, c.element, c.view); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestAPictureIsKeptInsideOfItsRoot(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	root, err := os.OpenRoot(folder)
	must(t, err)
	defer root.Close()
	content := append(jpegOf(t, image.NewGray(image.Rect(0, 0, 40, 30))), "<script>"...)
	first, err := Keep(root, "heals", content)
	must(t, err)
	again, err := Keep(root, "heals", content)
	must(t, err)
	kept, err := os.ReadFile(filepath.Join(folder, "heals", engine.PictureFolder, first))
	must(t, err)
	if first != again || !engine.IsPictureName(first) || bytes.Contains(kept, []byte("script")) {
		t.Errorf("%q, %q", first, again)
	}
	must(t, os.Symlink(outside, filepath.Join(folder, "elsewhere")))
	for events, content := range map[string][]byte{"elsewhere": content, "../x": content, "heals": []byte("no picture")} {
		if _, err := Keep(root, events, content); err == nil {
			t.Errorf("%s: kept", events)
		}
	}
	if there, err := os.ReadDir(outside); err != nil || len(there) > 0 {
		t.Errorf("outside: %v, %v", there, err)
	}
}
