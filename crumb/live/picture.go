package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/picture"
)

// Camera is a Page of which a picture can be taken.
type Camera interface {
	// Screenshot returns a part of what the page shows as PNG, one pixel for each CSS
	// pixel of its view, with what the selector mask finds in any frame painted over, as
	// Playwright's option mask does.
	Screenshot(clip engine.BoundingBox, mask string) ([]byte, error)
}

// pictureTime is how long a heal or a suggestion waits for its picture.
const pictureTime = time.Second

// secretFields are the fields whose content a picture never shows: all that hold text,
// but those that show their placeholder and so hold none.
const secretFields = "input:not(:placeholder-shown):not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio],[type=range],[type=color],[type=file])," +
	" textarea:not(:placeholder-shown), [contenteditable]:not([contenteditable=false])"

// aimScript brings an element into view and returns the size of the view and the boxes of
// the element and of what is to be hidden, in CSS pixels of the view: the elements with a
// secret, and those that say what is in a field, four characters of a password or eight of
// another. restoreScript puts everything back to where it was scrolled; the page is not
// touched by an aimScript that comes after it.
const (
	aimScript = `(page, [index, secrets]) => {
  const element = page.nodes[index], inside = (b) => b.top >= 0 && b.left >= 0 && b.bottom <= innerHeight && b.right <= innerWidth;
  if (page.restored) return "";
  page.scrolled = [];
  if (!inside(element.getBoundingClientRect())) {
    for (let n = element; n; n = n.parentNode ?? n.host) if (n.scrollTo && n.nodeType === 1) page.scrolled.push([n, n.scrollLeft, n.scrollTop]);
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  }
  const typed = [];
  for (const n of page.nodes) {
    const type = n.localName === "input" ? n.type : n.localName === "textarea" ? "text" : "button";
    if (typeof n.value === "string" && !/^(button|submit|reset|image|checkbox|radio|range|color|file|hidden)$/.test(type)
      && n.value.length >= (type === "password" ? 4 : 8)) typed.push(n.value);
  }
  const says = (n) => Array.from(n.childNodes).some((c) => c.nodeType === 3 && typed.some((value) => c.data.includes(value)));
  const echoes = typed.length ? page.nodes.filter(says) : [];
  const boxes = [element, ...secrets.map((i) => page.nodes[i]), ...echoes].map((n) => n.getBoundingClientRect());
  return JSON.stringify({ view: { x: 0, y: 0, width: innerWidth, height: innerHeight }, boxes });
}`
	restoreScript = `(page) => {
  page.restored = true;
  for (const [n, left, top] of page.scrolled ?? []) n.scrollTo({ left, top, behavior: "instant" });
}`
)

var errOtherFrame = errors.New("it is in a frame")

// takePicture takes a picture of the page's element i, keeps it beside the file of events
// and names it in the event. Without one the event is as good: what goes wrong is told to
// the log alone. The page is left as it was found, also where the picture takes too long.
func (h *healing) takePicture(i int) {
	if h.before != nil {
		h.event.Pictures = h.before.pictures
		return
	}
	o := h.test.options
	camera, able := h.Page.(Camera)
	if !able || o.Events == "" || o.Pictures != PicturesOn {
		return
	}
	d, local := h.now.documentOf(i)
	waiting, stop := context.WithTimeout(context.Background(), pictureTime)
	defer stop()
	name, err := callWithin(pictureTime, func() (any, error) {
		content, err := h.photograph(waiting, camera, d, local)
		if err == nil {
			err = waiting.Err()
		}
		if err != nil {
			return "", err
		}
		return picture.Save(o.Events, content)
	})
	_, restored := callWithin(pictureTime, func() (any, error) { return d.handle.Evaluate(restoreScript) })
	if err = errors.Join(err, restored); err != nil {
		o.Log.Info("crumb", "picture", err)
		return
	}
	h.event.Pictures = &engine.Pictures{Found: name.(string)}
}

// photograph returns a picture of an element of the main frame, in which every field that
// holds text and every element that says a secret is painted over. The page stays where it
// was scrolled for that. Nothing more is done in it once nobody waits: the call goes on.
func (h *healing) photograph(waiting context.Context, camera Camera, d document, element int) ([]byte, error) {
	if frames := h.Page.Frames(); len(frames) == 0 || d.frame != frames[0] {
		return nil, errOtherFrame // boxes there are not those of the view
	}
	secrets, err := h.secretsIn(d)
	if err != nil {
		return nil, err
	}
	text, err := d.handle.Evaluate(aimScript, []any{element, secrets})
	var aim struct {
		View  engine.BoundingBox
		Boxes []engine.BoundingBox
	}
	answer, _ := text.(string)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(answer), &aim); err != nil || len(aim.Boxes) <= len(secrets) {
		return nil, fmt.Errorf("the page told no boxes: %w", err)
	}
	if err := waiting.Err(); err != nil {
		return nil, err
	}
	clip := picture.Clip(aim.Boxes[0], aim.View)
	if clip.Width < 1 || clip.Height < 1 {
		return nil, errors.New("it is outside of what the page shows")
	}
	for i := range aim.Boxes {
		aim.Boxes[i].X -= clip.X
		aim.Boxes[i].Y -= clip.Y
	}
	shown, err := camera.Screenshot(clip, secretFields)
	if err != nil {
		return nil, err
	}
	return picture.New(shown, aim.Boxes[0], aim.Boxes[1:])
}

// secretsIn returns the indices in a document of the elements that say a secret
// themselves. The error is that another frame says one, which cannot be painted over.
func (h *healing) secretsIn(d document) ([]any, error) {
	secrets := []any{}
	for i := range h.now.page.Len() {
		said := h.now.page.Element(i).OwnText
		if redact.Text(said) == said {
			continue
		}
		of, local := h.now.documentOf(i)
		if of.frame != d.frame {
			return nil, errors.New("another frame of the page shows a secret")
		}
		secrets = append(secrets, local)
	}
	return secrets, nil
}
