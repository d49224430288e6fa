// Package resultsservice speaks to the GitHub Actions results service, which keeps
// the artifacts of a workflow run and the caches of a repository: Twirp calls
// in JSON to ACTIONS_RESULTS_URL, and the bytes by signed addresses to a blob
// store. Start with [New].
//
// The service is not documented. What is here is what its own clients do, the
// npm packages @actions/artifact 6.2.1 and @actions/cache 6.3.0
// (https://github.com/actions/toolkit/tree/main/packages).
package resultsservice
