// Command interop parses statements as CockroachDB does. It reads a JSON object of them, by
// name, and writes one of what CockroachDB's grammar says against some of them.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/cockroachdb/cockroachdb-parser/pkg/sql/parser"
)

func main() {
	statements, wrong := map[string]string{}, map[string]string{}
	if err := json.NewDecoder(os.Stdin).Decode(&statements); err != nil {
		log.Fatal(err)
	}
	for name, text := range statements {
		if parsed, err := parser.Parse(text); err != nil {
			wrong[name] = err.Error()
		} else if len(parsed) == 0 {
			wrong[name] = "no statement"
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(wrong); err != nil {
		log.Fatal(err)
	}
}
