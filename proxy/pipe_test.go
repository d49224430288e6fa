package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAPipeGivesBackWhatWasSent(t *testing.T) {
	for _, size := range []int{0, 1, 100, smallWrite, smallWrite + 1, 3 << 20} {
		var wire bytes.Buffer
		p := NewPipe(&wire, &wire)
		sent := strings.Repeat("x", size)
		must(t, p.Send([]byte(sent)))
		must(t, p.Send([]byte("next")))
		for _, want := range []string{sent, "next"} {
			got, err := p.Receive()
			must(t, err)
			if string(got) != want {
				t.Errorf("got %d bytes of %d", len(got), len(want))
			}
		}
		if _, err := p.Receive(); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
	}
}

func TestAMessageThatIsCutOffIsAnError(t *testing.T) {
	for _, wire := range []string{"\x01", "\x05\x00\x00\x00abc", "\x05\x00\x00\x00"} {
		if _, err := NewPipe(strings.NewReader(wire), io.Discard).Receive(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", wire, err)
		}
	}
}

// A length that no bytes follow must not take the memory that it names.
func TestALongMessageIsNotHeld(t *testing.T) {
	wire := binary.LittleEndian.AppendUint32(nil, maxMessage+1)
	in := io.MultiReader(bytes.NewReader(wire), bytes.NewReader(make([]byte, maxMessage+1)), strings.NewReader("\x02\x00\x00\x00{}"))
	from := NewPipe(in, io.Discard)
	_, err := from.Receive()
	var long *TooLong
	if !errors.As(err, &long) || long.Size != maxMessage+1 {
		t.Fatalf("got %v", err)
	}
	var out bytes.Buffer
	must(t, sendStream(NewPipe(nil, &out), long))
	if out.Len() != maxMessage+5 || !bytes.HasPrefix(out.Bytes(), wire) {
		t.Errorf("%d bytes went on", out.Len())
	}
	if next, err := from.Receive(); err != nil || string(next) != "{}" {
		t.Errorf("after it: %q, %v", next, err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
