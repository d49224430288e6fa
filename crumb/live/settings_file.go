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

// readHealSetting returns the text of the key heal in the settings file, "" when there
// is no file or no such key.
func readHealSetting(root string) (string, error) {
	f, err := os.Open(filepath.Join(root, settingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSettingsBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read %s: %w", settingsFile, err)
	}
	var settings struct {
		Heal yaml.Node `yaml:"heal"`
	}
	if err := yaml.Unmarshal(text, &settings); err != nil {
		return "", fmt.Errorf("read %s: %w", settingsFile, err)
	}
	if k := settings.Heal.Kind; k != 0 && k != yaml.ScalarNode {
		return "", fmt.Errorf("%s line %d: heal must be a plain value", settingsFile, settings.Heal.Line)
	}
	return settings.Heal.Value, nil
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
	value, err := readHealSetting(p.root)
	if err != nil || value == "" {
		return engine.HealLive, err
	}
	mode, err := engine.ParseHealMode(value)
	if err != nil {
		err = fmt.Errorf("%s: %w", settingsFile, err)
	}
	return mode, err
}
