package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

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
