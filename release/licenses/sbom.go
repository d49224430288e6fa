package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// describe writes the licences into the components of CycloneDX documents
// (https://cyclonedx.org/docs/1.6/json/#components_items_licenses). Each component must
// be a module whose licences were gathered. What tells one writing from another is taken
// out.
func describe(files []string, modules []module) error {
	licences := map[string][]string{}
	for _, m := range modules {
		licences[m.path+"@"+m.version] = m.licences
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		components, _ := document["components"].([]any)
		if len(components) == 0 {
			return fmt.Errorf("%s has no components", file)
		}
		for _, c := range components {
			component, _ := c.(map[string]any)
			name := fmt.Sprint(component["name"], "@", component["version"])
			ids, known := licences[name]
			if !known {
				return fmt.Errorf("%s has %s, of which no licence was gathered", file, name)
			}
			component["licenses"] = list(ids)
		}
		// The same binary has the same list: no number and no time of its own, and no
		// digest of the program that wrote it, which is built anew each time.
		delete(document, "serialNumber")
		metadata, _ := document["metadata"].(map[string]any)
		delete(metadata, "timestamp")
		tools, _ := metadata["tools"].([]any)
		for _, t := range tools {
			if tool, ok := t.(map[string]any); ok {
				delete(tool, "hashes")
			}
		}
		if component, ok := metadata["component"].(map[string]any); ok {
			component["licenses"] = list([]string{"Apache-2.0"})
		}
		if text, err = json.MarshalIndent(document, "", "  "); err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// list returns licences as a component has them: by SPDX's name where that knows them.
func list(ids []string) []any {
	var all []any
	for _, id := range ids {
		key := "id"
		if id == patents {
			key = "name"
		}
		all = append(all, map[string]any{"license": map[string]string{key: id}})
	}
	return all
}
