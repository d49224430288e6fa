package trace

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The phases of a call in which a page is taken. In versions 7 and 8 the name
// of a snapshot begins with them.
const (
	phaseBefore = "before"
	phaseAction = "action"
	phaseAfter  = "after"
)

// snapshotEvent is a frame's document at one moment.
type snapshotEvent struct {
	CallID  string          `json:"callId"`
	Phase   string          `json:"phase"`
	Name    string          `json:"snapshotName"`
	PageID  string          `json:"pageId"`
	FrameID string          `json:"frameId"`
	URL     string          `json:"frameUrl"`
	Main    bool            `json:"isMainFrame"`
	HTML    json.RawMessage `json:"html"`
}

// frame is the snapshots of one document's frame in their order, which is what
// their references count.
type frame struct {
	id        string
	snapshots []*snapshot
}

// snapshot is a frame's document at one moment. Its tree is read when somebody
// asks.
type snapshot struct {
	call, phase, page, url string
	main                   bool
	frame                  *frame
	index                  int    // in its frame
	raw                    []byte // nil once read, or left out

	read  bool
	root  *node
	nodes []*node // in the order that references count
}

// addSnapshot takes a snapshot in.
func (t *Trace) addSnapshot(e *snapshotEvent) {
	f := t.frames[e.FrameID]
	if f == nil {
		if len(t.frames) >= maxFrames {
			t.dropped["snapshots of frames beyond the first"]++
			return
		}
		f = &frame{id: e.FrameID}
		t.frames[e.FrameID] = f
	}
	if len(t.order) >= maxSnapshots {
		t.dropped["snapshots"]++
		return
	}
	s := &snapshot{call: e.CallID, phase: phaseOf(e), page: e.PageID, url: e.URL, main: e.Main, frame: f, index: len(f.snapshots)}
	if t.kept += int64(len(e.HTML)); t.kept <= t.limits.Kept {
		s.raw = bytes.Clone(e.HTML)
	} else {
		t.dropped["snapshots that are too large together"]++
	}
	f.snapshots = append(f.snapshots, s)
	t.order = append(t.order, s)
}

func phaseOf(e *snapshotEvent) string {
	if e.Phase != "" {
		return e.Phase
	}
	phase, _, _ := strings.Cut(e.Name, "@")
	if phase == "input" {
		return phaseAction
	}
	return phase
}
