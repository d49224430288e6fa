package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/postgres"
)

// defaultConfigFile is read when it exists and no other was named; a file of a near
// name is an error then.
const defaultConfigFile = ".breadcrumb.yml"

var nearConfigFiles = []string{".breadcrumb.yaml", ".breadcrumb.json", ".breadcrumbs.yml", ".breadcrumbs.yaml", "breadcrumb.yml", "breadcrumb.yaml", ".github/breadcrumb.yml", ".github/breadcrumb.yaml", ".github/.breadcrumb.yml"}

const maxConfigBytes = 1 << 20

// dbSetting names the database.
const dbSetting = "db"

// readConfigFile returns the settings in a file. The file may be missing unless the
// user named it.
func readConfigFile(file string, named bool, known []setting) (values, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		// The settings in a file of a name that is not read would silently not count.
		for _, near := range nearConfigFiles {
			near = filepath.Join(filepath.Dir(file), near)
			if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
				return nil, usageError{fmt.Sprintf("%s is not read: rename it to %s, or name it with config", near, file)}
			}
		}
		return values{}, nil
	case err == nil && info.Size() > maxConfigBytes:
		return nil, usageError{fmt.Sprintf("config file %s has %d bytes; %d are read at most", file, info.Size(), maxConfigBytes)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError{fmt.Sprintf("config file %s: %v", file, cmp.Or(errors.Unwrap(err), err))}
	}
	return parseConfig(file, text, known)
}

// parseConfig reads the YAML mapping of setting names to values.
func parseConfig(file string, text []byte, known []setting) (values, error) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		if line := findTabbedLine(text); line > 0 && strings.Contains(err.Error(), "cannot start any token") {
			return nil, usageError{fmt.Sprintf("%s line %d: begins with a tab; YAML is indented with spaces", file, line)}
		}
		return nil, usageError{fmt.Sprintf("%s: %v", file, err)}
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, usageError{fmt.Sprintf("%s: a second document stands behind \"---\", and one is read; put all settings into the first", file)}
	}
	if len(document.Content) == 0 {
		return values{}, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, usageError{fmt.Sprintf("%s line %d: expected settings such as \"junit: results/**/*.xml\"", file, root.Line)}
	}
	p := configParser{file, known, values{}}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		var err error
		switch key.Value {
		case "quarantine":
			err = p.readQuarantine(key, node)
		case healSetting.name, learnSetting.name, picturesSetting.name:
			err = p.readSwitch(key, node)
		default:
			err = p.readSetting(key.Value, p.describeLine(key), node)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.out, nil
}

// configParser collects the settings of one file.
type configParser struct {
	file  string
	known []setting
	out   values
}

func (p configParser) describeLine(node *yaml.Node) string {
	return fmt.Sprintf("%s line %d", p.file, node.Line)
}

func (p configParser) readSetting(name, place string, node *yaml.Node) error {
	s, err := findSetting(name, place, p.known)
	if err != nil {
		return err
	}
	if _, twice := p.out[s.name]; twice {
		return usageError{fmt.Sprintf("%s: %s is set twice", place, s.name)}
	}
	items, err := readScalars(node, place, s)
	if s.name == dbSetting && len(items) == 1 && postgres.IsURL(items[0]) {
		return usageError{place + ": the address of a database does not belong in a file, which a pull request could point at a history of its own; pass db as the action input or flag"}
	}
	p.out[s.name] = value{items: items, from: place, file: true}
	return err
}

// healSetting, learnSetting and picturesSetting are the keys that tests obey, too: off is
// off for all that heals, learns or keeps pictures.
var (
	healSetting     = setting{name: "heal", kind: kindWord, words: engine.HealModes()}
	learnSetting    = setting{name: "learn", kind: kindWord, words: []string{"on", string(engine.HealOff)}}
	picturesSetting = setting{name: "pictures", kind: kindWord, words: []string{live.PicturesOn, live.PicturesOff}}
)

// readSwitch reads one of these keys.
func (p configParser) readSwitch(key, node *yaml.Node) error {
	p.known = []setting{healSetting, learnSetting, picturesSetting}
	if err := p.readSetting(key.Value, p.describeLine(key), node); err != nil {
		return err
	}
	s, err := findSetting(key.Value, "", p.known)
	if err != nil {
		return err
	}
	return s.checkValue(p.out[s.name])
}

// addSwitches adds what the file or, instead, the environment says of healing, learning and
// pictures.
func (vs values) addSwitches(file values, getenv func(string) string) error {
	vs[healSetting.name], vs[learnSetting.name], vs[picturesSetting.name] = file[healSetting.name], file[learnSetting.name], file[picturesSetting.name]
	mode, err := live.HealMode("", getenv, "")
	if err != nil {
		return usageError{err.Error()}
	}
	if getenv("BREADCRUMB_HEAL") != "" {
		vs[healSetting.name] = value{items: []string{string(mode)}, from: "BREADCRUMB_HEAL"}
	}
	if learns, _ := live.Learns(getenv, ""); !learns { // without a folder nothing is read
		vs[learnSetting.name] = value{items: []string{string(engine.HealOff)}, from: "BREADCRUMB_LEARN"}
	}
	pictures, err := live.PictureMode("", getenv, "")
	if err != nil {
		return usageError{err.Error()}
	}
	if getenv("BREADCRUMB_PICTURES") != "" {
		vs[picturesSetting.name] = value{items: []string{pictures}, from: "BREADCRUMB_PICTURES"}
	}
	return nil
}

// findTabbedLine returns the first line that begins with a tab, 0 where none does. The
// YAML reader does not say in which line the error is.
func findTabbedLine(text []byte) int {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t")) {
			return i + 1
		}
	}
	return 0
}

// readQuarantine reads the lists "always" and "never" below the key quarantine.
func (p configParser) readQuarantine(key, node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return usageError{p.describeLine(key) + ": quarantine must hold the lists \"always\" and \"never\""}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		list := node.Content[i]
		place := p.describeLine(list)
		if list.Value != "always" && list.Value != "never" {
			return usageError{fmt.Sprintf("%s: unknown key %q of quarantine%s", place, list.Value, cmp.Or(suggestName(list.Value, []string{"always", "never"}), ", which holds always and never"))}
		}
		if err := p.readSetting("quarantine-"+list.Value, place, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// notInFile are the settings that the settings file may not hold, and why.
var notInFile = map[string]string{
	"state":         ", which a pull request could point at a history of its own; pass it as the action input or flag",
	"state-path":    ", which a pull request could point at a history of its own; pass it as the action input or flag",
	"job":           ", which a pull request could change to pass for another job; pass it as the action input or flag",
	"leg":           ", which a pull request could change to pass for another leg; pass it as the action input or flag",
	"comment-key":   ", which a pull request could change to write another job's comment; pass it as the action input or flag",
	"artifact-id":   ", as every run has its own; pass it as the action input or flag",
	"job-id":        ", as every run has its own; pass it as the action input or flag",
	"check-run":     ", which a pull request could change to pass for another check; pass it as the action input or flag",
	"check-run-end": ", as every run has its own; pass it as the action input or flag",
	"step-outcome":  ", as every run has its own; pass it as the action input or flag",
	"github-token":  "; pass it as the action input or in GITHUB_TOKEN",
}

// findSetting returns the setting called name.
func findSetting(name, place string, known []setting) (setting, error) {
	if why, refused := notInFile[name]; refused {
		return setting{}, usageError{place + ": " + name + " does not belong in a file" + why}
	}
	names := make([]string, 0, len(known)+2)
	for _, s := range known {
		if s.name == name {
			return s, nil
		}
		if notInFile[s.name] == "" {
			names = append(names, s.name)
		}
	}
	names = append(names, healSetting.name, learnSetting.name, picturesSetting.name)
	return setting{}, usageError{fmt.Sprintf("%s: unknown key %q%s", place, name, suggestName(name, names))}
}

// readScalars returns node's text, or each item's where the setting takes a list.
func readScalars(node *yaml.Node, place string, s setting) ([]string, error) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return nil, usageError{fmt.Sprintf("%s: %s has no value", place, s.name)}
	case node.Kind == yaml.ScalarNode && s.takesList():
		return splitGlobs(node.Value), nil
	case node.Kind == yaml.ScalarNode:
		return []string{node.Value}, nil
	case node.Kind == yaml.SequenceNode && s.takesList():
		var items []string
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return nil, usageError{fmt.Sprintf("%s: every item of %s must be a text (line %d)", place, s.name, item.Line)}
			}
			items = append(items, item.Value)
		}
		return items, nil
	}
	return nil, usageError{fmt.Sprintf("%s: %s must be a plain value", place, s.name)}
}
