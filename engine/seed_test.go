package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeedJSONIsWhatTheSeedWrites(t *testing.T) {
	f := Fingerprint{
		Tag: "button", Text: "größe 😀 \"q\" <b>\n\u2028\x7f", Attributes: Attributes{{"id", "b"}, {"class", "é\\"}},
		DOMPath: []string{"html", "body"}, Locator: "#b", TestID: "t",
		BBox: &BoundingBox{X: 100, Y: -0.5, Width: 1e16, Height: 1.5e-05},
	}
	want := `{"tag": "button", "text": "gr\u00f6\u00dfe \ud83d\ude00 \"q\" <b>\n\u2028\u007f", ` +
		`"attributes": [["class", "\u00e9\\"], ["id", "b"]], "dom_path": ["html", "body"], "siblings": [], "locator": "#b", "test_id": "t", ` +
		`"bbox": {"x": 100.0, "y": -0.5, "width": 1e+16, "height": 1.5e-05}}`
	got, err := f.SeedJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.Role, f.BBox = "button", nil
	got, err = f.SeedJSON()
	if err != nil || !strings.HasSuffix(string(got), `"test_id": "t", "bbox": null, "role": "button"}`) {
		t.Errorf("with a field of ours: %s, %v", got, err)
	}
}

// Python itself says what the seed would write and how it normalises.
const pythonSeed = `
import json, sys
for line in sys.stdin:
    data = json.loads(line)
    text = data["text"]
    print(json.dumps(data))
    print(json.dumps(" ".join(text.strip().lower().split()) if text else ""))
`

func TestSeedJSONAndTextAgreeWithPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; it says what the seed would write")
	}
	random := rand.New(rand.NewPCG(7, 11))
	var input bytes.Buffer
	var fingerprints []Fingerprint
	for range 2000 {
		f := randomFingerprint(random)
		line, err := f.SeedJSON()
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
		fingerprints = append(fingerprints, f)
	}
	sent := strings.Split(strings.TrimSuffix(input.String(), "\n"), "\n")
	cmd := exec.Command(python, "-c", pythonSeed)
	cmd.Stdin = &input
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for i, f := range fingerprints {
		if !lines.Scan() || lines.Text() != sent[i] {
			t.Fatalf("Python writes\n%s\nwe write\n%s", lines.Text(), sent[i])
		}
		var back Fingerprint
		if err := json.Unmarshal([]byte(sent[i]), &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := back.SeedJSON(); string(again) != sent[i] {
			t.Fatalf("read back, %s becomes %s", sent[i], again)
		}
		lines.Scan()
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			t.Fatal(err)
		}
		if got := NormalizeText(f.Text); got != text {
			t.Fatalf("text %q: Python has %q, we have %q", f.Text, text, got)
		}
	}
}

func randomFingerprint(random *rand.Rand) Fingerprint {
	alphabet := []rune("aB z\t\n\r\x1c\x1f\x00\x7f\u00a0\u0085\u2028\u3000ÄßİΣσς'.·:ΑЖ😀\"\\/<>&é́ǅªⅠⓐ\u200d")
	text := func() string {
		runes := make([]rune, random.IntN(12))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(runes)
	}
	number := func() float64 {
		return []float64{0, float64(random.IntN(2000)), random.Float64() * 1000, -random.Float64(), math.Ldexp(random.Float64(), random.IntN(120)-60)}[random.IntN(5)]
	}
	f := Fingerprint{Tag: "button", Text: text(), Locator: text(), TestID: TestID(text()), DOMPath: []string{"html", text()}}
	for range random.IntN(4) {
		f.Attributes = append(f.Attributes, Attribute{text(), text()})
	}
	if random.IntN(2) == 0 {
		f.BBox = &BoundingBox{number(), number(), number(), number()}
	}
	return f
}
