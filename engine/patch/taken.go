package patch

import "strings"

// Offer is an edit that was offered for a text of a file, in the terms of [VerifyEdit].
type Offer struct {
	Start    int    // byte offset of what is replaced
	Old, New string // source texts
}

// FindTaken reports for each offer on a text of a file whether somebody took it: in a
// later text of the file its line reads as the edit leaves it, alone or with other
// offers on the line. What can be read in two ways is not taken: the line or its new
// text stands in the change twice, the change is long, or another line took the place.
// An offer that [VerifyEdit] refuses is not taken. No argument is trusted.
func FindTaken(file string, before, after []byte, offers []Offer) []bool {
	taken := make([]bool, len(offers))
	edits := make([]Edit, len(offers))
	onLine := map[int][]int{} // offers, by line
	for i, o := range offers {
		e, err := VerifyEdit(file, before, o.Start, o.Old, o.New)
		if err == nil && o.Old != o.New {
			edits[i], onLine[e.Line] = e, append(onLine[e.Line], i)
		}
	}
	if len(onLine) == 0 {
		return taken
	}
	changes := changedLines(before, after)
	for line, on := range onLine {
		for _, c := range changes {
			if c.at <= line-1 && line-1 < c.at+len(c.old) {
				for _, i := range takenOnLine(c, line-1-c.at, before, edits, on) {
					taken[i] = true
				}
			}
		}
	}
	return taken
}

const (
	maxTakenOnLine = 4    // offers on a line of which some may be taken
	maxChange      = 20   // lines of a change in which a line can be told from others
	maxAligned     = 1000 // lines that may differ between two texts of a file
)

// takenOnLine returns those of the edits on one line that the change made together.
func takenOnLine(c lineChange, at int, before []byte, edits []Edit, on []int) []int {
	if len(on) > maxTakenOnLine || len(c.old) > maxChange || len(c.new) > maxChange || count(c.old, c.old[at]) != 1 || count(c.new, c.old[at]) != 0 {
		return nil
	}
	var found [][]int
	for set := 1; set < 1<<len(on); set++ {
		var chosen []int
		var made []Edit
		for i, offer := range on {
			if set&(1<<i) != 0 {
				chosen, made = append(chosen, offer), append(made, edits[offer])
			}
		}
		text, err := Apply(before, made)
		if err != nil { // two of them at one place
			continue
		}
		line := trimmedLines(text)[c.at+at]
		here := count(c.new, line) == 1 && count(c.old, line) == 0
		if here && (len(c.old) != len(c.new) || c.new[at] == line) {
			found = append(found, chosen)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func count(lines []string, line string) int {
	n := 0
	for _, l := range lines {
		if l == line {
			n++
		}
	}
	return n
}

// lineChange is lines of a text in whose place others came. Indentation and line endings do
// not count.
type lineChange struct {
	at       int // 0-based line of the first
	old, new []string
}

func trimmedLines(text []byte) []string {
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// changedLines returns what changed between two texts by a longest common subsequence
// of their lines, and nothing where too many differ.
func changedLines(before, after []byte) []lineChange {
	old, now := trimmedLines(before), trimmedLines(after)
	start := 0
	for start < len(old) && start < len(now) && old[start] == now[start] {
		start++
	}
	old, now = old[start:], now[start:]
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	if len(old) > maxAligned || len(now) > maxAligned {
		return nil
	}
	common := commonLines(old, now)
	var changes []lineChange
	for i, j := 0, 0; i < len(old) || j < len(now); {
		from, to := i, j
		for (i < len(old) || j < len(now)) && (i == len(old) || j == len(now) || old[i] != now[j]) {
			if j == len(now) || i < len(old) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		if i > from || j > to {
			changes = append(changes, lineChange{start + from, old[from:i], now[to:j]})
		}
		for i < len(old) && j < len(now) && old[i] == now[j] {
			i, j = i+1, j+1
		}
	}
	return changes
}

// commonLines returns how many lines the rest of one list has in common with the rest
// of the other, in order, by where the rests begin.
func commonLines(a, b []string) [][]int32 {
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
