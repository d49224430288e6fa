// Package picture makes, keeps and reads small pictures of elements that were found in
// the place of lost ones.
//
// New outlines the element in a screenshot, Save keeps a picture beside the heal events
// under a name made of what is in it, and Load reads one back. A file may be anybody's: it
// is read up to bounds, decoded, and encoded again, so that none of its bytes go on.
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
	"math"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/replace"
)

// The largest picture, and how many a folder holds.
const (
	MaxWidth  = 480 // pixels
	MaxHeight = 270 // pixels
	MaxBytes  = 48 << 10
	MaxCount  = 200
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
	c := engine.BoundingBox{Width: min(MaxWidth, view.Width), Height: min(MaxHeight, view.Height)}
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
	shown, err := decode(screenshot, maxScreenshot, "png")
	if err != nil {
		return nil, fmt.Errorf("read screenshot: %w", err)
	}
	canvas := image.NewRGBA(image.Rectangle{Max: shown.Bounds().Size()})
	draw.Draw(canvas, canvas.Bounds(), shown, shown.Bounds().Min, draw.Src)
	for _, box := range hide {
		draw.Draw(canvas, pixels(box), image.NewUniform(hidden), image.Point{}, draw.Src)
	}
	at := pixels(element)
	for grown, ring := range []color.Color{outline, outline, halo} {
		drawRing(canvas, at.Inset(-grown-1), ring)
	}
	return encode(canvas)
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

// decode reads an image of at most so many bytes and MaxWidth × MaxHeight pixels.
func decode(content []byte, most int, format string) (image.Image, error) {
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
	case size.Width < 1 || size.Height < 1 || size.Width > MaxWidth || size.Height > MaxHeight:
		return nil, fmt.Errorf("it has %d × %d pixels, more than %d × %d", size.Width, size.Height, MaxWidth, MaxHeight)
	}
	return read(bytes.NewReader(content))
}

// encode returns an image as JPEG of at most MaxBytes.
func encode(shown image.Image) ([]byte, error) {
	for _, quality := range qualities {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if out.Len() <= MaxBytes {
			return out.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("it has more than %d bytes", MaxBytes)
}

// Save keeps a picture that New returned in the folder of pictures beside a file of heal
// events, and returns its name there. The error is ErrFull where there is no more room.
func Save(events string, content []byte) (name string, err error) {
	sum := sha256.Sum256(content)
	name = hex.EncodeToString(sum[:16]) + ".jpg"
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
	shown, err := decode(content, MaxBytes, "jpeg")
	if err != nil {
		return nil, fmt.Errorf("picture %s: %w", name, err)
	}
	return encode(shown)
}
