package live

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/engine"
)

// settingsFile is the file of settings at the root of the repository. Its other keys
// are those of `breadcrumb ci`.
const settingsFile = ".breadcrumb.yml"

const maxSettingsBytes = 1 << 20

// fileSettings are the keys of the settings file that tests obey, "" for one that is not
// there.
type fileSettings struct{ heal, learn, pictures string }

// readSettingsFile returns the settings in the file at the root, none where there is no file.
func readSettingsFile(root string) (found fileSettings, err error) {
	f, err := os.Open(filepath.Join(root, settingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSettingsBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return found, fmt.Errorf("read %s: %w", settingsFile, err)
	}
	var settings struct {
		Heal     yaml.Node `yaml:"heal"`
		Learn    yaml.Node `yaml:"learn"`
		Pictures yaml.Node `yaml:"pictures"`
	}
	if err := yaml.Unmarshal(text, &settings); err != nil {
		return found, fmt.Errorf("read %s: %w", settingsFile, err)
	}
	for name, node := range map[string]yaml.Node{"heal": settings.Heal, "learn": settings.Learn, "pictures": settings.Pictures} {
		if k := node.Kind; k != 0 && k != yaml.ScalarNode {
			return found, fmt.Errorf("%s line %d: %s must be a plain value", settingsFile, node.Line, name)
		}
	}
	return fileSettings{settings.Heal.Value, settings.Learn.Value, settings.Pictures.Value}, nil
}

// Learns reports whether tests teach in a repository: unless the environment, or the
// settings file at the root, switches that off; "" is given for no repository.
func Learns(getenv func(name string) string, root string) (bool, error) {
	if switchedOff(getenv("BREADCRUMB_LEARN")) || root == "" {
		return !switchedOff(getenv("BREADCRUMB_LEARN")), nil
	}
	switch found, err := readSettingsFile(root); {
	case err != nil:
		return false, err
	case found.learn != "" && found.learn != "on" && found.learn != "off":
		return false, fmt.Errorf("%s: learn is %q; it must be on or off", settingsFile, found.learn)
	default:
		return found.learn != "off", nil
	}
}

// HealMode returns what is done for a lost locator in a repository: what is given, or else
// the environment, or else the settings file at the root; "" is given for nothing and for
// no repository.
func HealMode(given string, getenv func(name string) string, root string) (engine.HealMode, error) {
	return Options{Heal: given}.healMode(environment{env: getenv, root: root})
}

// Root returns what file names are relative to in a folder: the repository around it, or
// else the module, or else the folder itself.
func Root(folder string) string { return findRoot(folder) }

// healMode returns what is done for a lost locator: what the options say, or else the
// environment, or else the settings file.
func (o Options) healMode(p environment) (engine.HealMode, error) {
	if o.Heal != "" {
		return engine.ParseHealMode(o.Heal)
	}
	if value := p.env("BREADCRUMB_HEAL"); switchedOff(value) {
		return engine.HealOff, nil
	} else if value != "" {
		mode, err := engine.ParseHealMode(value)
		if err != nil {
			err = fmt.Errorf("BREADCRUMB_HEAL: %w", err)
		}
		return mode, err
	}
	if p.root == "" {
		return engine.HealLive, nil
	}
	found, err := readSettingsFile(p.root)
	if err != nil || found.heal == "" {
		return engine.HealLive, err
	}
	mode, err := engine.ParseHealMode(found.heal)
	if err != nil {
		err = fmt.Errorf("%s: %w", settingsFile, err)
	}
	return mode, err
}

// Whether pictures of elements are kept.
const (
	PicturesOn  = "on"
	PicturesOff = "off"
)

// PictureMode returns PicturesOn or PicturesOff: what is given, or else the environment,
// or else the settings file at the root of the repository, or else on; "" is given for
// nothing.
func PictureMode(given string, getenv func(name string) string, root string) (string, error) {
	const variable = "BREADCRUMB_PICTURES"
	value, from := given, "pictures"
	if value == "" {
		value, from = getenv(variable), variable
	}
	if value == "" {
		found, err := readSettingsFile(root)
		if err != nil {
			return "", err
		}
		value, from = found.pictures, settingsFile+": pictures"
	}
	switch {
	case value == "" || value == PicturesOn:
		return PicturesOn, nil
	case value == PicturesOff || from == variable && switchedOff(value):
		return PicturesOff, nil
	}
	return "", fmt.Errorf("%s is %.60q; it must be %s or %s", from, value, PicturesOn, PicturesOff)
}
