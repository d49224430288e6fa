package resultsservice

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// scope names the run and the job for which the service keeps artifacts.
type scope struct {
	Run string `json:"workflow_run_backend_id"`
	Job string `json:"workflow_job_run_backend_id"`
}

// scopeOf reads the ids from the token, a JWT whose claim scp lists scopes
// between blanks, one of them Actions.Results:<run>:<job>. The signature is
// the service's to check.
func scopeOf(token string) (scope, error) {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return scope{}, errors.New("holds characters that no token has")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return scope{}, errors.New("is not a JSON web token")
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return scope{}, errors.New("is not a JSON web token: its claims are not base64")
	}
	var claims struct{ Scp string }
	if err := json.Unmarshal(text, &claims); err != nil {
		return scope{}, errors.New("is not a JSON web token: its claims are not JSON")
	}
	for _, s := range strings.Fields(claims.Scp) {
		ids := strings.Split(s, ":")
		if ids[0] == "Actions.Results" && len(ids) == 3 && ids[1] != "" && ids[2] != "" {
			return scope{Run: ids[1], Job: ids[2]}, nil
		}
	}
	return scope{}, errors.New("names no run: its claim scp lacks Actions.Results:<run>:<job>")
}
