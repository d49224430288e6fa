package junit

import (
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func TestEncodings(t *testing.T) {
	const name = "tëst €"
	report := func(label string) string {
		return `<?xml version="1.0" encoding="` + label + `"?>` + inSuite(`<testcase name="`+name+`" classname="c"/>`)
	}
	encode := func(e encoding.Encoding, text string) string {
		out, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	sjis := `<?xml version="1.0" encoding="Shift_JIS"?>` + inSuite(`<testcase name="テスト" classname="c"/>`)
	for label, c := range map[string]struct{ report, want string }{
		"UTF-8":                  {report("UTF-8"), name},
		"UTF-8 BOM":              {"\xef\xbb\xbf" + report("UTF-8"), name},
		"UTF-16LE BOM":           {encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), report("UTF-16")), name},
		"UTF-16BE BOM":           {encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), report("UTF-16")), name},
		"UTF-16LE without BOM":   {encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), report("UTF-16")), name},
		"UTF-16BE without BOM":   {encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), report("UTF-16")), name},
		"UTF-16 claimed only":    {report("utf-16"), name},
		"windows-1252":           {encode(charmap.Windows1252, report("windows-1252")), name},
		"ISO-8859-1 with a euro": {encode(charmap.Windows1252, report("ISO-8859-1")), name},
		"ISO-8859-15":            {encode(charmap.ISO8859_15, report("ISO-8859-15")), name},
		"Shift_JIS":              {encode(japanese.ShiftJIS, sjis), "テスト"},
		"nothing declared":       {encode(charmap.Windows1252, inSuite(`<testcase name="`+name+`" classname="c"/>`)), name},
		"unknown name":           {report("x-klingon"), name},
		"UTF-8 claimed":          {"<?xml version='1.0' encoding='UTF-8'?>" + inSuite("<testcase name='b\xe4d' classname='c'/>"), "b\ufffdd"},
	} {
		t.Run(label, func(t *testing.T) {
			f := parse(t, c.report)
			if len(f.Results()) != 1 || f.Results()[0].Name != c.want {
				t.Errorf("results %v, notices %v, want %q", f.Results(), f.Notices, c.want)
			}
		})
	}
}
