// Package picture makes, keeps and reads small pictures of elements that were lost, and
// of those that were found in their place.
//
// New outlines the element in a screenshot, and Crop in a trace's. Save and Keep write a
// picture beside the heal events under a name made of what is in it, and Load reads one
// back. A file may be anybody's: it is read up to bounds, decoded, and encoded again, so
// that none of its bytes go on.
package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/replace"
)

// The largest picture, and how many a folder holds.
const (
	MaxWidth  = 480 // pixels
	MaxHeight = 270 // pixels
	MaxBytes  = 48 << 10
	MaxCount  = 200

	// Of one that is kept with what was learned.
	SmallWidth  = 320 // pixels
	SmallHeight = 180 // pixels
	SmallBytes  = 10 << 10
)

// The largest screenshot of a trace, in bytes and in pixels of each side.
const (
	maxFrame     = 1 << 20
	maxFrameSide = 2_000
)

// maxScreenshot bounds the bytes of a screenshot of MaxWidth × MaxHeight pixels.
const maxScreenshot = 4 << 20

// qualities are those of JPEG that are tried, until a picture has at most MaxBytes.
var qualities = []int{80, 55, 30}

// ErrFull says that a folder holds MaxCount pictures.
var ErrFull = errors.New("the folder holds as many pictures as it may")

// Clip returns the part of a view that a picture shows: at most MaxWidth × MaxHeight
// around the middle of an element, or its upper left where it is larger. All are in CSS
// pixels from the upper left of the view. It is empty where the element is outside.
func Clip(element, view engine.BoundingBox) engine.BoundingBox {
	return clip(element, view, image.Pt(MaxWidth, MaxHeight))
}

// clip returns the part of a view with at most so many pixels around an element.
func clip(element, view engine.BoundingBox, most image.Point) engine.BoundingBox {
	c := engine.BoundingBox{Width: min(float64(most.X), view.Width), Height: min(float64(most.Y), view.Height)}
	c.X = place(element.X, element.Width, c.Width, view.Width)
	c.Y = place(element.Y, element.Height, c.Height, view.Height)
	if element.X+element.Width <= 0 || element.Y+element.Height <= 0 || element.X >= view.Width || element.Y >= view.Height {
		return engine.BoundingBox{}
	}
	return c
}

// place returns where a stretch of a length begins that has another in its middle, or
// its beginning, inside of a whole.
func place(at, length, shown, whole float64) float64 {
	from := at + length/2 - shown/2
	if length > shown {
		from = at - margin
	}
	return float64(int(max(0, min(from, whole-shown))))
}

// margin is what is shown before an element that is larger than the picture, in pixels.
const margin = 8

// The colours of the outline, which shows on light and dark pages, and of what is hidden.
var (
	outline = color.RGBA{0xd1, 0x24, 0x2f, 0xff}
	halo    = color.RGBA{0xff, 0xff, 0xff, 0xff}
	hidden  = color.RGBA{0x80, 0x80, 0x80, 0xff}
)

// New returns a screenshot in PNG as a JPEG picture: the boxes to hide painted over, the
// element outlined. Boxes are in pixels of the screenshot.
func New(screenshot []byte, element engine.BoundingBox, hide []engine.BoundingBox) ([]byte, error) {
	shown, err := decode(screenshot, maxScreenshot, image.Pt(MaxWidth, MaxHeight), "png")
	if err != nil {
		return nil, fmt.Errorf("read screenshot: %w", err)
	}
	canvas := image.NewRGBA(image.Rectangle{Max: shown.Bounds().Size()})
	draw.Draw(canvas, canvas.Bounds(), shown, shown.Bounds().Min, draw.Src)
	for _, box := range hide {
		draw.Draw(canvas, pixels(box), image.NewUniform(hidden), image.Point{}, draw.Src)
	}
	drawOutline(canvas, pixels(element))
	return encode(canvas, MaxBytes)
}

// Crop returns the part around an element of a screenshot in JPEG, which may be scaled: at
// most SmallWidth × SmallHeight pixels and SmallBytes, the element outlined. Boxes are in
// CSS pixels from the upper left of the view. The error says that the screenshot is none of
// the view, or beyond the bounds, or that the element is outside.
func Crop(screenshot []byte, element, view engine.BoundingBox) ([]byte, error) {
	shown, err := decode(screenshot, maxFrame, image.Pt(maxFrameSide, maxFrameSide), "jpeg")
	if err != nil {
		return nil, fmt.Errorf("read screenshot: %w", err)
	}
	size := shown.Bounds().Size()
	scale := float64(size.X) / view.Width
	if !(math.Abs(view.Height*scale-float64(size.Y)) <= 2) {
		return nil, errors.New("the screenshot shows another view")
	}
	at := engine.BoundingBox{X: element.X * scale, Y: element.Y * scale, Width: element.Width * scale, Height: element.Height * scale}
	part := clip(at, engine.BoundingBox{Width: float64(size.X), Height: float64(size.Y)}, image.Pt(SmallWidth, SmallHeight))
	if !(part.Width >= 1 && part.Height >= 1 && at.X+at.Width > 0 && at.Y+at.Height > 0) {
		return nil, errors.New("the element is outside of the screenshot")
	}
	canvas := image.NewRGBA(image.Rect(0, 0, int(part.Width), int(part.Height)))
	draw.Draw(canvas, canvas.Bounds(), shown, shown.Bounds().Min.Add(image.Pt(int(part.X), int(part.Y))), draw.Src)
	at.X, at.Y = at.X-part.X, at.Y-part.Y
	drawOutline(canvas, pixels(at))
	return encode(canvas, SmallBytes)
}

// drawOutline draws three rings around a rectangle.
func drawOutline(canvas draw.Image, at image.Rectangle) {
	for grown, ring := range []color.Color{outline, outline, halo} {
		drawRing(canvas, at.Inset(-grown-1), ring)
	}
}

// pixels returns the pixels that a box touches, without overflow.
func pixels(b engine.BoundingBox) image.Rectangle {
	const most = 1 << 20
	whole := func(v float64) int {
		if math.IsNaN(v) {
			return 0
		}
		return int(max(-most, min(v, most)))
	}
	return image.Rect(whole(b.X), whole(b.Y), whole(b.X+b.Width+0.999), whole(b.Y+b.Height+0.999))
}

// drawRing draws the outermost pixels of a rectangle.
func drawRing(canvas draw.Image, r image.Rectangle, c color.Color) {
	for _, side := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y), image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y),
	} {
		draw.Draw(canvas, side, image.NewUniform(c), image.Point{}, draw.Src)
	}
}

// decode reads an image of at most so many bytes and pixels.
func decode(content []byte, most int, pixels image.Point, format string) (image.Image, error) {
	if len(content) > most {
		return nil, fmt.Errorf("it has more than %d bytes", most)
	}
	readSize, read := png.DecodeConfig, png.Decode
	if format == "jpeg" {
		readSize, read = jpeg.DecodeConfig, jpeg.Decode
	}
	size, err := readSize(bytes.NewReader(content))
	switch {
	case err != nil:
		return nil, err
	case size.Width < 1 || size.Height < 1 || size.Width > pixels.X || size.Height > pixels.Y:
		return nil, fmt.Errorf("it has %d × %d pixels, more than %d × %d", size.Width, size.Height, pixels.X, pixels.Y)
	}
	return read(bytes.NewReader(content))
}

// encode returns an image as JPEG of at most so many bytes.
func encode(shown image.Image, most int) ([]byte, error) {
	for _, quality := range qualities {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if out.Len() <= most {
			return out.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("it has more than %d bytes", most)
}

// Save keeps a picture that New returned in the folder of pictures beside a file of heal
// events, and returns its name there. The error is ErrFull where there is no more room.
func Save(events string, content []byte) (name string, err error) {
	name = nameOf(content)
	folder := filepath.Join(filepath.Dir(events), engine.PictureFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	there, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, f := range there {
		if f.Name() == name {
			return name, nil
		}
	}
	if len(there) >= MaxCount {
		return "", ErrFull
	}
	return name, replace.Write(filepath.Join(folder, name), ".breadcrumb-*", func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Load returns a picture of a folder by its name, as JPEG that was encoded anew. The error
// says that there is none of that name, or that it is no picture within the bounds.
func Load(folder *os.Root, name string) ([]byte, error) {
	if !engine.IsPictureName(name) {
		return nil, fmt.Errorf("%.60q is no name of a picture", name)
	}
	info, err := folder.Lstat(name) // a pipe is not opened
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file")
	}
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", name, err)
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", name, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", name, err)
	}
	shown, err := decode(content, MaxBytes, image.Pt(MaxWidth, MaxHeight), "jpeg")
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", name, err)
	}
	return encode(shown, MaxBytes)
}

// Keep writes a picture of anybody's below a folder of heal events, encoded anew, and
// returns its name there. Nothing outside of the root is written, whatever is a link. The
// error is ErrFull where there is no more room.
func Keep(root *os.Root, events string, content []byte) (name string, err error) {
	shown, err := decode(content, MaxBytes, image.Pt(MaxWidth, MaxHeight), "jpeg")
	if err != nil {
		return "", fmt.Errorf("read picture: %w", err)
	}
	if content, err = encode(shown, MaxBytes); err != nil {
		return "", fmt.Errorf("write picture: %w", err)
	}
	name = nameOf(content)
	folder := filepath.Join(events, engine.PictureFolder)
	if err := root.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	there, err := fs.ReadDir(root.FS(), filepath.ToSlash(folder))
	if err != nil {
		return "", err
	}
	if len(there) >= MaxCount && !slices.ContainsFunc(there, func(f fs.DirEntry) bool { return f.Name() == name }) {
		return "", ErrFull
	}
	f, err := root.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	return name, errors.Join(err, f.Close())
}

// nameOf returns the name of a picture, which is made of what is in it.
func nameOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16]) + ".jpg"
}
