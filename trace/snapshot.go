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
	Time    float64         `json:"timestamp"` // ms of the clock of its file
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
	trace                  *Trace
	time                   float64 // Unix ms
	index                  int     // in its frame
	raw                    []byte  // nil once read, or left out

	read  bool
	root  *node
	nodes []*node // in the order that references count
}

// addSnapshot takes a snapshot in. start is when the clock of its file was 0, in Unix ms.
func (t *Trace) addSnapshot(e *snapshotEvent, start float64) {
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
	s := &snapshot{call: e.CallID, phase: phaseOf(e), page: e.PageID, url: e.URL, main: e.Main, frame: f, trace: t, time: start + e.Time, index: len(f.snapshots)}
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
