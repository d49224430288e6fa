package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
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

// resolveSettings finds each setting's value: flag over input over file over default.
func resolveSettings(cmd *cobra.Command, settings []setting, configFile string, getenv func(string) string) (values, error) {
	inputs, err := readInputs(cmd, getenv)
	if err != nil {
		return nil, err
	}
	configFile = cmp.Or(configFile, inputs("config"))
	named := configFile != ""
	configFile = cmp.Or(configFile, defaultConfigFile)
	file, err := readConfigFile(configFile, named, settings)
	if err != nil {
		return nil, err
	}
	vs, err := overrideSettings(cmd, settings, file, inputs, getenv)
	if err != nil {
		return nil, err
	}
	vs[configSetting] = value{items: []string{configFile}}
	return vs, nil
}

// overrideSettings is resolveSettings with the file read; inputs returns an input, "" for
// one that is not given.
func overrideSettings(cmd *cobra.Command, settings []setting, file values, inputs, getenv func(name string) string) (values, error) {
	vs := values{}
	for _, s := range settings {
		v := value{from: "default"}
		if s.def != "" {
			v.items = []string{s.def}
		}
		if fromFile, ok := file[s.name]; ok {
			v = fromFile
		}
		if input := inputs(s.name); input != "" {
			v = value{items: s.splitItems(input), from: "input " + s.name}
		}
		if flag := cmd.Flags().Lookup(s.name); flag != nil && flag.Changed {
			v = flagValue(cmd, s)
		}
		if err := s.checkValue(v); err != nil {
			return nil, err
		}
		vs[s.name] = v
	}
	return vs, vs.addSwitches(file, getenv)
}

// addFlags adds a flag for each setting, in their order, and the flag that names the
// settings file.
func addFlags(cmd *cobra.Command, settings []setting) (configFile *string) {
	cmd.Flags().SortFlags = false
	for _, s := range settings {
		addFlag(cmd, s)
	}
	return cmd.Flags().String("config", "", "settings `FILE` (default \".breadcrumb.yml\" where there is one)")
}

func addFlag(cmd *cobra.Command, s setting) {
	switch s.kind {
	case kindGlobs, kindLimits, kindOutcomes:
		cmd.Flags().StringArray(s.name, nil, s.usage)
	case kindBool:
		cmd.Flags().Bool(s.name, s.def == "true", s.usage)
		completeWords(cmd, s.name, "true", "false")
	default:
		cmd.Flags().String(s.name, s.def, s.usage)
	}
	if s.words != nil {
		completeWords(cmd, s.name, s.words...)
	}
}

func flagValue(cmd *cobra.Command, s setting) value {
	v := value{from: "--" + s.name}
	if s.takesList() {
		globs, _ := cmd.Flags().GetStringArray(s.name)
		for _, glob := range globs {
			v.items = append(v.items, s.splitItems(glob)...)
		}
		return v
	}
	v.items = []string{cmd.Flags().Lookup(s.name).Value.String()}
	return v
}

func (s setting) splitItems(text string) []string {
	switch {
	case s.kind == kindOutcomes:
		return splitOutcomes(text)
	case s.takesList():
		return splitGlobs(text)
	}
	return []string{text}
}

// splitOutcomes splits text at commas and line ends. It keeps empty items, so that
// checkValue can refuse them: the outcome of a step that does not exist is empty. An
// empty text has no items: no outcome was passed.
func splitOutcomes(text string) []string {
	if text == "" {
		return nil
	}
	items := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", ","), ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return items
}

// splitGlobs splits the text of an action input or a flag into globs at commas
// and line ends. A comma inside braces does not split: a/{b,c}.xml is one glob.
func splitGlobs(text string) []string {
	var globs []string
	depth, start := 0, 0
	add := func(end int) {
		if glob := strings.TrimSpace(text[start:end]); glob != "" {
			globs = append(globs, glob)
		}
		start = end + 1
	}
	for i, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
		case r == '\n' || r == ',' && depth == 0:
			add(i)
		}
	}
	add(len(text))
	return globs
}

// actionFlag is set by the three action.yml alone, in the command itself, and says how the step is given its inputs. A command that somebody runs in a script has none.
const actionFlag = "action"

// The values of actionFlag.
const (
	actionContainer = "container" // a variable for each input that action.yml declares
	actionNative    = "native"    // one JSON object in nativeInputs
	actionSetup     = "setup"     // the same
)

const nativeInputs = "BREADCRUMB_INPUTS"

// readInputs returns where an action's inputs are looked up: "" is one that is not set. Only what
// the runner itself hands to this step counts. A container action has a variable for each declared
// input, also for an empty one, and a script step those that it sets itself: these win over what a
// test wrote into GITHUB_ENV, which a variable of another spelling may come from.
func readInputs(cmd *cobra.Command, getenv func(string) string) (func(name string) string, error) {
	how := ""
	if flag := cmd.Flags().Lookup(actionFlag); flag != nil {
		how = flag.Value.String()
	}
	switch how {
	case "":
		return func(string) string { return "" }, nil
	case actionContainer:
		return func(name string) string { return getenv("INPUT_" + strings.ToUpper(name)) }, nil
	case actionNative, actionSetup:
		var inputs map[string]string
		if err := json.Unmarshal([]byte(getenv(nativeInputs)), &inputs); err != nil {
			return nil, usageError{fmt.Sprintf("%s: %v; %s/action.yml sets it to the step's inputs", nativeInputs, err, how)}
		}
		return func(name string) string { return inputs[name] }, nil
	}
	return nil, usageError{fmt.Sprintf("--%s is %q, not %s, %s or %s", actionFlag, how, actionContainer, actionNative, actionSetup)}
}
