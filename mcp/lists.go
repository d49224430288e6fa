package mcp

// truncated says how many entries of each list an answer lacks, by the key of
// the list. A list that is whole is not in it.
type truncated map[string]int

// cut returns the first limit entries of a list and notes how many more there
// are, which is total without them.
func cut[T any](t truncated, key string, list []T, limit, total int) []T {
	list = list[:min(len(list), limit)]
	if more := total - len(list); more > 0 {
		t[key] = more
	}
	return list
}
