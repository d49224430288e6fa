package junit

// chunked is a list that grows without copying what it holds.
type chunked[T any] struct{ chunks [][]T }

const chunkLength = 2048

func (c *chunked[T]) len() int {
	if len(c.chunks) == 0 {
		return 0
	}
	return (len(c.chunks)-1)*chunkLength + len(c.chunks[len(c.chunks)-1])
}

func (c *chunked[T]) at(i int) *T { return &c.chunks[i/chunkLength][i%chunkLength] }

// append adds v and returns its index. The first chunk grows as it fills.
func (c *chunked[T]) append(v T) int {
	i := c.len()
	switch {
	case i == 0:
		c.chunks = [][]T{nil}
	case i%chunkLength == 0:
		c.chunks = append(c.chunks, make([]T, 0, chunkLength))
	}
	last := &c.chunks[i/chunkLength]
	*last = append(*last, v)
	return i
}

// set puts v at index i, with zero values before it where the list is shorter.
func (c *chunked[T]) set(i int, v T) {
	var zero T
	for c.len() <= i {
		c.append(zero)
	}
	*c.at(i) = v
}
