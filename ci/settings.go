package ci

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/standing"
)

// Origin is where a setting's value comes from.
type Origin struct {
	Place string // ".breadcrumb.yml line 3", "input missing", "--missing" or "default"
	File  bool   // a settings file of the checkout
}

// The settings that decide what may be excused, by the names of their flags.
const (
	SettingPolicy        = "policy"
	SettingMaxQuarantine = standing.SettingMaxQuarantine
	SettingAlways        = "quarantine-always"
	SettingNever         = "quarantine-never"
	SettingMissing       = "missing"
)

// decisive is a setting that decides what may be excused, as text.
type decisive struct {
	name string
	get  func(Config) string
	set  func(*Config, string)
}

var decisives = []decisive{
	{SettingPolicy, func(c Config) string { return string(c.Policy) }, func(c *Config, v string) { c.Policy = flaky.Policy(v) }},
	{SettingMaxQuarantine, func(c Config) string { return strconv.FormatFloat(c.MaxQuarantine, 'g', -1, 64) },
		func(c *Config, v string) { c.MaxQuarantine, _ = strconv.ParseFloat(v, 64) }},
	{SettingAlways, func(c Config) string { return strings.Join(c.Always, "\n") }, func(c *Config, v string) { c.Always = lines(v) }},
	{SettingNever, func(c Config) string { return strings.Join(c.Never, "\n") },
		func(c *Config, v string) { c.Never = joined(lines(v), c.Never) }},
	{SettingMissing, func(c Config) string { return string(c.Missing) }, func(c *Config, v string) { c.Missing = MissingRule(v) }},
}

// settle returns the configuration with the decisive settings that count. A
// trusted run is judged by what it was given, and the log keeps who gave it and
// when. Any other run, a pull request above all, could have written the file in
// its own checkout: there the file's settings count as the last trusted run
// read them, except that a pull request may name more tests that are never
// excused.
func settle(ctx context.Context, cfg Config, db Database, now time.Time) (Config, []engine.Notice, error) {
	standing, err := db.Settings(ctx)
	if err != nil {
		return cfg, nil, fmt.Errorf("read settings of the default branch: %w", err)
	}
	if cfg.Origins == nil {
		return cfg, nil, nil
	}
	if cfg.Info.Trusted() {
		return cfg, nil, remember(ctx, cfg, db, standing, now)
	}
	var notices []engine.Notice
	given := cfg
	for _, d := range decisives {
		if origin := given.Origins[d.name]; origin.Place != fromDefault && !origin.File {
			continue
		}
		value, known := standing[cfg.settingKey(d.name)]
		if !known {
			value = d.get(given.Defaults())
		}
		have := d.get(given)
		if have == value {
			continue
		}
		d.set(&cfg, value)
		if d.name != SettingNever {
			notices = append(notices, warning(fmt.Sprintf("%s: %q is not what the default branch says and does not count before it is merged; until then it is %q",
				d.name, have, value)))
		}
	}
	return cfg, notices, nil
}

// fromDefault is the place of a setting that nobody gave.
const fromDefault = "default"

// Defaults returns the configuration with every decisive setting as it is when
// nobody gives it.
func (c Config) Defaults() Config {
	c.Policy, c.MaxQuarantine, c.Always, c.Never, c.Missing = flaky.PolicyEvidence, flaky.DefaultShare, nil, nil, MissingAuto
	return c
}

// settingKey is the name under which the log keeps a setting of the file.
func (c Config) settingKey(name string) string { return name + " in " + c.File }

// remember logs the decisive settings that changed since they were logged last.
func remember(ctx context.Context, cfg Config, db Database, standing map[string]string, now time.Time) error {
	for _, d := range decisives {
		origin := cfg.Origins[d.name]
		key, value := cfg.settingKey(d.name), d.get(cfg)
		switch {
		case origin.Place == fromDefault:
			if _, said := standing[key]; !said {
				continue
			}
		case !origin.File:
			key = fmt.Sprintf("%s by %s in job %s", d.name, origin.Place, cfg.Info.Job)
		}
		if last, said := standing[key]; said && last == value {
			continue
		}
		if err := db.LogSetting(ctx, key, value, cfg.who(d.name), now); err != nil {
			return fmt.Errorf("log settings: %w", err)
		}
	}
	return nil
}

// who names what decided by a setting: its place and the commit it was read at.
func (c Config) who(name string) string {
	who := c.Origins[name].Place
	if who == "" {
		who = fromDefault
	}
	if commit := c.Info.Commit; commit != "" {
		who += " at commit " + commit[:min(len(commit), 7)]
	}
	return who
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func joined(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
