// Package provenance verifies attestations of releases as docs/releases.md tells people
// to. It is a module of its own, because the attestation's library brings some three
// hundred modules that the product does not need.
package provenance
