package provenance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

const (
	document = "../../docs/releases.md"
	workflow = "../../.github/workflows/release.yml"

	// issuer signs the identities of GitHub's jobs
	// (https://docs.github.com/en/actions/reference/security/oidc).
	issuer = "https://token.actions.githubusercontent.com"
	// provenanceType is what actions/attest-build-provenance states
	// (https://slsa.dev/spec/v1.0/provenance).
	provenanceType = "https://slsa.dev/provenance/v1"
)

// signer returns the identity that the document tells people to ask for.
func signer(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^signer=(https://\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s names no signer", document)
	}
	return string(m[1])
}

// statement returns GitHub's statement of who built a file, as in-toto defines it
// (https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md).
func statement(t *testing.T, name string, file []byte, builder string) []byte {
	t.Helper()
	sum := sha256.Sum256(file)
	text, err := json.Marshal(map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       []any{map[string]any{"name": name, "digest": map[string]string{"sha256": hex.EncodeToString(sum[:])}}},
		"predicateType": provenanceType,
		"predicate": map[string]any{
			"buildDefinition": map[string]any{"buildType": "https://actions.github.io/buildtypes/workflow/v1"},
			"runDetails":      map[string]any{"builder": map[string]any{"id": builder}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The attestation's own library takes what the release workflow of the default branch
// signed for a file, and nothing else.
func TestOnlyTheReleaseWorkflowsAttestationOfTheFileIsTaken(t *testing.T) {
	wanted := signer(t)
	trusted, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	file := []byte("a binary of the release")
	for name, c := range map[string]struct {
		root     *ca.VirtualSigstore
		identity string
		issuer   string
		file     string
		taken    bool
	}{
		"the release workflow's":                 {taken: true},
		"another file's":                         {file: "another binary"},
		"that of a tag of the branch's name":     {identity: strings.Replace(wanted, "refs/heads/", "refs/tags/", 1)},
		"that of another branch":                 {identity: strings.Replace(wanted, "refs/heads/main", "refs/heads/main2", 1)},
		"that of a pull request":                 {identity: strings.Replace(wanted, "refs/heads/main", "refs/pull/7/merge", 1)},
		"another workflow's":                     {identity: strings.Replace(wanted, "release.yml", "self.yml", 1)},
		"that of another repository":             {identity: strings.Replace(wanted, "breadcrumb/action", "breadcrumb/actiom", 1)},
		"that of an identity with more in front": {identity: "https://evil.example/" + wanted},
		"another issuer's":                       {issuer: "https://accounts.example"},
		"one of another root":                    {root: stranger},
	} {
		t.Run(name, func(t *testing.T) {
			if c.root == nil {
				c.root = trusted
			}
			if c.identity == "" {
				c.identity = wanted
			}
			if c.issuer == "" {
				c.issuer = issuer
			}
			attested := file
			if c.file != "" {
				attested = []byte(c.file)
			}
			entity, err := c.root.Attest(c.identity, c.issuer, statement(t, "breadcrumb-linux-amd64", attested, c.identity))
			if err != nil {
				t.Fatal(err)
			}
			result, err := verifyFile(trusted, entity, wanted, file)
			if (err == nil) != c.taken {
				t.Errorf("error %v", err)
			}
			if c.taken && (result.Statement == nil || result.Statement.GetPredicateType() != provenanceType) {
				t.Errorf("statement %v", result.Statement)
			}
		})
	}
}

// verifyFile verifies as `gh attestation verify FILE --cert-identity WANTED` does.
func verifyFile(root *ca.VirtualSigstore, entity verify.SignedEntity, wanted string, file []byte) (*verify.VerificationResult, error) {
	verifier, err := verify.NewVerifier(root, verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1))
	if err != nil {
		return nil, err
	}
	identity, err := verify.NewShortCertificateIdentity(issuer, "", wanted, "")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file)
	return verifier.Verify(entity, verify.NewPolicy(verify.WithArtifactDigest("sha256", sum[:]), verify.WithCertificateIdentity(identity)))
}

// The workflow verifies what it made by the very identity that it has on the default
// branch, and by the commit.
func TestTheReleaseAsksForItsOwnIdentity(t *testing.T) {
	text, err := os.ReadFile(workflow)
	if err != nil {
		t.Fatal(err)
	}
	verified := 0
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "gh attestation verify") {
			continue
		}
		verified++
		for _, want := range []string{`--cert-identity "$GITHUB_SERVER_URL/$GITHUB_WORKFLOW_REF"`, `--source-digest "$GITHUB_SHA"`, "--deny-self-hosted-runners"} {
			if !strings.Contains(line, want) {
				t.Errorf("without %s: %s", want, strings.TrimSpace(line))
			}
		}
	}
	if verified < 2 {
		t.Errorf("%d attestations are verified, want the image's and the binaries'", verified)
	}
	if want := signer(t); !strings.HasSuffix(want, "/.github/workflows/release.yml@refs/heads/main") {
		t.Errorf("the document asks for %s", want)
	}
}
