package attach

import (
	"net"
	"testing"
)

// Whoever connects to the loopback can say anything first: who is taken for a worker says an
// index and a side.
func FuzzReadIntroduction(f *testing.F) {
	f.Add([]byte("\x40\x00\x00\x00" + `{"path":"secret/7-ab","pair":"a pair","side":"client"}`))
	f.Add([]byte("after -1"))
	f.Add([]byte("\x02\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff{"))
	f.Fuzz(func(t *testing.T, said []byte) {
		here, there := net.Pipe()
		defer here.Close()
		go func() {
			_, _ = there.Write(said)
			_ = there.Close()
		}()
		who, err := readIntroduction(here)
		if err == nil && who.Side != clientSide && who.Side != driverSide {
			t.Errorf("%q is taken for %+v", said, who)
		}
		if n, ok := readOrder(said); ok && n < 0 {
			t.Errorf("%q is to come behind %d messages", said, n)
		}
	})
}
