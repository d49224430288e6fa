package ci

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/flaky"
)

// policySetting is a setting that decides what may be excused, read and set as
// text.
type policySetting struct {
	name string
	get  func(Config) string
	set  func(*Config, string)
}

var policySettings = []policySetting{
	{SettingPolicy, func(c Config) string { return string(c.Policy) }, func(c *Config, v string) { c.Policy = flaky.Policy(v) }},
	{SettingConfirm, func(c Config) string { return string(cmp.Or(c.Confirm, flaky.ConfirmAuto)) }, func(c *Config, v string) { c.Confirm = flaky.Confirm(v) }},
	{SettingMaxQuarantine, func(c Config) string { return strconv.FormatFloat(c.MaxQuarantine, 'g', -1, 64) },
		func(c *Config, v string) { c.MaxQuarantine, _ = strconv.ParseFloat(v, 64) }},
	{SettingAlways, func(c Config) string { return strings.Join(c.Always, "\n") }, func(c *Config, v string) { c.Always = splitLines(v) }},
	{SettingNever, func(c Config) string { return strings.Join(c.Never, "\n") },
		func(c *Config, v string) {
			c.Never = slices.Compact(slices.Sorted(slices.Values(slices.Concat(splitLines(v), c.Never))))
		}},
	{SettingMissing, func(c Config) string { return string(c.Missing) }, func(c *Config, v string) { c.Missing = MissingRule(v) }},
}

// applyTrustedSettings replaces the policy settings that do not count. A trusted
// run is judged by what it was given, and the log keeps who gave it and when. Any
// other run, a pull request above all, could have written the settings file in
// its own checkout. There the file's settings count as the last trusted run read
// them, except that a pull request may name more tests that are never excused.
func (r *run) applyTrustedSettings(ctx context.Context) error {
	logged, err := r.session.DB.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings of the default branch: %w", err)
	}
	switch {
	case r.cfg.Origins == nil:
		return nil
	case r.cfg.Info.Trusted():
		return r.logSettings(ctx, logged)
	}
	given := r.cfg
	for _, s := range policySettings {
		if origin := given.Origins[s.name]; origin.Place != fromDefault && !origin.File {
			continue
		}
		value, known := logged[given.settingKey(s.name)]
		if !known {
			value = s.get(given.Defaults())
		}
		have := s.get(given)
		if have == value {
			continue
		}
		s.set(&r.cfg, value)
		r.cfg.Origins = maps.Clone(r.cfg.Origins)
		r.cfg.Origins[s.name] = Origin{Place: given.placeOnMain(s.name), File: true}
		if s.name != SettingNever {
			r.warn("%s: %q is not what the default branch says and does not count before it is merged; until then it is %q", s.name, have, value)
		}
	}
	return nil
}

// logSettings logs the policy settings that changed since they were logged last.
func (r *run) logSettings(ctx context.Context, logged map[string]string) error {
	now := timeOf(r.cfg.Info, r.deps.Now)
	for _, s := range policySettings {
		origin := r.cfg.Origins[s.name]
		key, value := r.cfg.settingKey(s.name), s.get(r.cfg)
		switch {
		case origin.Place == fromDefault:
			if _, known := logged[key]; !known {
				continue
			}
		case !origin.File:
			key = fmt.Sprintf("%s by %s in job %s", s.name, origin.Place, r.cfg.Info.Job)
		}
		if last, known := logged[key]; known && last == value {
			continue
		}
		if err := r.session.DB.LogSetting(ctx, key, value, r.cfg.settingSource(s.name), now); err != nil {
			return fmt.Errorf("log settings: %w", err)
		}
	}
	return nil
}

// fromDefault is the place of a setting that nobody gave.
const fromDefault = "default"

// Defaults returns the configuration with every policy setting as it is when
// nobody gives it.
func (c Config) Defaults() Config {
	c.Policy, c.Confirm, c.MaxQuarantine, c.Always, c.Never, c.Missing = flaky.PolicyEvidence, flaky.ConfirmAuto, flaky.DefaultShare, nil, nil, MissingAuto
	return c
}

// settingKey is the name under which the log keeps a setting of the file.
func (c Config) settingKey(name string) string { return name + " in " + c.File }

// settingSource says where a setting was given and at which commit it was read.
func (c Config) settingSource(name string) string {
	source := cmp.Or(c.Origins[name].Place, fromDefault)
	if commit := c.Info.Commit; commit != "" {
		source += " at commit " + shortCommit(commit)
	}
	return source
}

// placeOnMain says of a setting of the file where it stands when the default branch's
// counts: never is what either says.
func (c Config) placeOnMain(name string) string {
	place := c.File + " of the default branch"
	if here := c.Origins[name].Place; name == SettingNever && here != fromDefault {
		place = here + ", or " + place
	}
	return place
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
