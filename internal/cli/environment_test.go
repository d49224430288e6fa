package cli

import (
	"os"
	"testing"
)

func TestVariablesThatLeadElsewhereAreDropped(t *testing.T) {
	for name, kept := range map[string]bool{
		"PGHOST": false, "PGSERVICEFILE": false, "PGPASSWORD": true, "CHROMIUM": false, "CHROMIUM_ARGS": false, "PLAYWRIGHT_DRIVER_PATH": false,
		"SSL_CERT_FILE": false, "SSL_CERT_DIR": false, "HTTPS_PROXY": true, "PATH": true,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GITHUB_SERVER_URL", "https://github.com")
			t.Setenv(name, "/github/workspace/mine")
			if err := dropTestVariables([]string{name + "=/github/workspace/mine"}); err != nil {
				t.Fatal(err)
			}
			if _, set := os.LookupEnv(name); set != kept {
				t.Errorf("%s is set: %t, want %t", name, set, kept)
			}
		})
	}
	t.Setenv("GITHUB_SERVER_URL", "https://git.acme.example")
	t.Setenv("SSL_CERT_FILE", "/etc/acme.pem")
	if err := dropTestVariables([]string{"SSL_CERT_FILE=/etc/acme.pem"}); err != nil || os.Getenv("SSL_CERT_FILE") == "" {
		t.Error("a server of one's own has lost its certificates")
	}
}

func TestAMisspelledInputIsRefused(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"INPUT_JUNTI":        `unknown input "junti"; did you mean "junit"?`,
		"INPUT_HEAL-EVENT":   `unknown input "heal-event"; did you mean "heal-events"?`,
		"INPUT_HEAL_EVENTS":  "",
		"INPUT_STEP-OUTCOME": "", "INPUT_CONFIG": "", "INPUT_ENTRYPOINT": "", "INPUT_COLOUR": "", "JUNTI": "",
	} {
		got := ""
		if err := refuseMisspelled([]string{"PATH=/bin", input + "=x"}, ciSettings()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
