package redact

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// tokenForms match tokens by the prefixes that their issuers document for secret
// scanning, in their case (https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns).
var tokenForms = []rule{
	tokenForm(`[A-Za-z0-9]{16,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	tokenForm(`\w{20,}`, "github_pat_"),
	tokenForm(`[\w-]{16,}`, "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "GR1348941"),
	tokenForm(`[A-Z0-9]{16}\b`, "AKIA", "ASIA", "ABIA", "ACCA", "AGPA", "AIDA", "AROA", "ANPA", "ANVA", "APKA"),
	tokenForm(`[\w-]{30,}`, "AIza"),
	tokenForm(`[\w-]{16,}`, "ya29."),
	tokenForm(`[\w-]{20,}`, "GOCSPX-", "1//0"),
	tokenForm(`[\w.-]{10,}`, "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
	tokenForm(`[A-Za-z0-9]{10,}`, "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "pk_live_", "pk_test_", "pk_prod_"),
	tokenForm(`[A-Za-z0-9+/=]{16,}`, "whsec_"),
	tokenForm(`[\w-]{12,}\.[\w-]{12,}`, "SG."),
	tokenForm(`[A-Za-z0-9]{20,}`, "npm_", "hf_", "gsk_", "r8_", "pplx-", "xai-", "rnd_", "nfp_", "nfo_", "nfu_", "lin_api_", "lin_oauth_", "ntn_"),
	tokenForm(`[\w-]{20,}`, "pypi-"),
	tokenForm(`[a-f0-9]{20,}`, "rubygems_", "bkua_"),
	tokenForm(`[\w-]{16,}`, "dckr_pat_", "dckr_oat_"),
	tokenForm(`[A-Za-z0-9]{16,}`, "shpat_", "shpca_", "shppa_", "shpss_", "shptka_"),
	tokenForm(`[a-f0-9]{32,}`, "doo_v1_", "dop_v1_", "dor_v1_"),
	tokenForm(`[\w-]{20,}`, "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-"),
	tokenForm(`[A-Za-z0-9]{32,}`, "sk-"),
	tokenForm(`[\w-]{20,}`, "hvs.", "hvb.", "hvr."),
	tokenForm(`[a-f0-9]{32}`, "dapi"),
	tokenForm(`[A-Za-z0-9]{32,}`, "secret_"),
	tokenForm(`[a-f0-9]{32}\b`, "key-", "SK", "AC"),
	tokenForm(`[\w-]{20,}`, "sq0atp-", "sq0csp-", "sq0idp-"),
	tokenForm(`[\w-]{40,}`, "EAAA"),
	tokenForm(`[\w=+/-]{20,}`, "glsa_", "glc_"),
	tokenForm(`[A-Z0-9]{20,}`, "NRAK-", "NRAL-"),
	tokenForm(`[A-Za-z0-9]{30,}`, "phc_", "phx_"),
	tokenForm(`[\w=+/-]{20,}`, "sntrys_", "sntryu_"),
	tokenForm(`[a-f0-9]{40}`, "pul-"),
	tokenForm(`[0-9A-Z]{40,}`, "AGE-SECRET-KEY-1"),
	tokenForm(`[\w=-]{20,}`, "ATATT3", "ATCTT3", "ATBB"),
	tokenForm(`[\w+/=-]{20,}`, "BBDC-"),
	tokenForm(`[\w-]{20,}`, "figd_", "figo_", "figu_", "CFPAT-", "cfut_", "sbp_", "sb_secret_", "xkeysib-", "PMAK-", "tfp_", "sgp_", "CCIPAT_"),
	tokenForm(`[\w.-]{20,}`, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
	tokenForm(`[\w+/=-]{20,}`, "fm1_", "fm2_"),
	tokenForm(`[a-f0-9]{20,}`, "shippo_live_", "shippo_test_"),
	tokenForm(`[\w-]{20,}`, "ops_eyJ"),
	tokenForm(`[A-Za-z0-9+/]{40,}={0,2}`, "AccountKey="),
	{hints: []string{".atlasv1."}, pattern: lazyregexp.New(`\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}`)},
	{hints: []string{":AA"}, pattern: lazyregexp.New(`\b\d{8,10}:AA[\w-]{32,}`)}, // Telegram
}

// tokenForm returns the rule for tokens that begin with one of the prefixes and go on
// as a pattern says.
func tokenForm(rest string, prefixes ...string) rule {
	quoted := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		quoted[i] = regexp.QuoteMeta(prefix)
	}
	return rule{hints: prefixes, pattern: lazyregexp.New(`\b(?:` + strings.Join(quoted, "|") + `)` + rest)}
}
