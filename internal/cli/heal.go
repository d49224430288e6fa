package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/internal/healtool"
)

// maxPageBytes is the largest HTML file that heal reads.
const maxPageBytes = 32 << 20

func newHeal(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "heal --old OLD.html --new NEW.html --locator CSS",
		Short: "Try the healing engine on two pages",
		Long: "Look in the new page for the element that a locator selected in the old one.\n" +
			"Prints the heal, the suggestion or the refusal, what changed, the runner-up and\nwhy, and the threshold and the margin over the runner-up that a heal needs; with\n--explain every signal, with --format json one object.\n" +
			"Both pages are read as files, without a browser. A refusal is an answer: exit\ncode 0.",
		Example: "  breadcrumb heal --old before.html --new after.html --locator '#login-btn'",
		Args:    refuseArgs,
	}
	oldFile := cmd.Flags().String("old", "", "page `FILE` on which the locator worked")
	newFile := cmd.Flags().String("new", "", "page `FILE` to look in")
	locator := cmd.Flags().String("locator", "", "`CSS` selector of one element of the old page")
	presets := toStrings(preset.Names())
	scorer := cmd.Flags().String("preset", string(preset.Default), "`PRESET` to score by: "+strings.Join(presets, ", "))
	completeWords(cmd, "preset", presets...)
	format := cmd.Flags().String("format", "text", "`FORMAT` of the answer: text or json")
	completeWords(cmd, "format", "text", "json")
	explain := cmd.Flags().Bool("explain", false, "show every signal of the best and the runner-up")
	cmd.RunE = func(*cobra.Command, []string) error {
		for _, required := range []struct{ flag, value string }{{"old", *oldFile}, {"new", *newFile}, {"locator", *locator}} {
			if required.value == "" {
				return usageError{fmt.Sprintf("--%s is missing ('breadcrumb heal --help')", required.flag)}
			}
		}
		if *format != "text" && *format != "json" {
			return usageError{fmt.Sprintf("--format %q: want text or json", *format)}
		}
		if _, err := preset.Parse(*scorer); err != nil {
			return usageError{"--preset: " + err.Error()}
		}
		before, err := readPage("old", *oldFile)
		if err != nil {
			return err
		}
		after, err := readPage("new", *newFile)
		if err != nil {
			return err
		}
		if err := healtool.Run(s.Out, before, after, *locator, *scorer, *explain, *format == "json"); err != nil {
			return usageError{err.Error()}
		}
		return nil
	}
	return cmd
}

// readPage reads the HTML file that a flag names, of at most maxPageBytes.
func readPage(flag, name string) ([]byte, error) {
	text, err := readStart(name, maxPageBytes+1)
	if err != nil {
		return nil, usageError{"--" + flag + ": " + err.Error()}
	}
	if len(text) > maxPageBytes {
		return nil, usageError{fmt.Sprintf("--%s: %s is larger than %d MiB", flag, name, maxPageBytes>>20)}
	}
	return text, nil
}
