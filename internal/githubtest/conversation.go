package githubtest

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The queries that read a pull request's conversation:
// https://docs.github.com/en/graphql/reference/objects#pullrequest
var (
	conversationQuery = regexp.MustCompile(`^query\(\$owner:String!,\$name:String!,\$number:Int!\)\{viewer\{login\}repository\(owner:\$owner,name:\$name\)\{` +
		`pullRequest\(number:\$number\)\{id headRefOid comments\(first:100\)\{pageInfo\{hasNextPage endCursor\}nodes` + commentFields + `\}` +
		`reviewThreads\(first:100\)\{pageInfo\{hasNextPage\}nodes\{path line isOutdated comments\(first:20\)\{pageInfo\{hasNextPage\}nodes\{fullDatabaseId id author\{__typename login\}body replyTo\{fullDatabaseId\}\}\}\}\}\}\}\}$`)
	nextQuery = regexp.MustCompile(`^query\(\$owner:String!,\$name:String!,\$number:Int!,\$after:String!\)\{repository\(owner:\$owner,name:\$name\)\{` +
		`pullRequest\(number:\$number\)\{comments\(first:100,after:\$after\)\{pageInfo\{hasNextPage endCursor\}nodes` + commentFields + `\}\}\}\}$`)
	newestQuery = regexp.MustCompile(`^query\(\$owner:String!,\$name:String!,\$number:Int!\)\{repository\(owner:\$owner,name:\$name\)\{` +
		`pullRequest\(number:\$number\)\{comments\(last:100\)\{nodes` + commentFields + `\}\}\}\}$`)
)

// commentFields are what is asked of a comment of the conversation.
const commentFields = `\{fullDatabaseId id author\{__typename login\}body url\}`

// conversation answers with the pull request's comments, those on its diff in
// threads.
func (s *Server) conversation(c *call, q query) (any, error) {
	repo, pr, refusal := s.pullAsked(q)
	if refusal != nil {
		return refusal, nil
	}
	return object{"data": object{"viewer": object{"login": c.token.Login}, "repository": object{"pullRequest": object{
		"id": pullNode(repo, pr), "headRefOid": pr.HeadSHA,
		"comments": commentPage(s.commentNodes(c, repo, pr)), "reviewThreads": connection(threads(pr), 100),
	}}}}, nil
}

// nextComments answers with the comments after the one that a cursor names.
func (s *Server) nextComments(c *call, q query) (any, error) {
	repo, pr, refusal := s.pullAsked(q)
	if refusal != nil {
		return refusal, nil
	}
	var in struct{ After string }
	if err := json.Unmarshal(q.Variables, &in); err != nil {
		return nil, err
	}
	nodes := s.commentNodes(c, repo, pr)
	at := slices.IndexFunc(nodes, func(x object) bool { return cursorOf(x) == in.After })
	if at < 0 {
		return refuseQuery("INVALID_CURSOR_ARGUMENTS", "`"+in.After+"` does not appear to be a valid cursor."), nil
	}
	return object{"data": object{"repository": object{"pullRequest": object{"comments": commentPage(nodes[at+1:])}}}}, nil
}

// commentPage is the first page of comments, with its end.
func commentPage(nodes []object) object {
	p := connection(nodes, 100)
	info := object{"hasNextPage": len(nodes) > 100, "endCursor": nil}
	if len(nodes) > 0 {
		info["endCursor"] = cursorOf(nodes[min(len(nodes), 100)-1])
	}
	p["pageInfo"] = info
	return p
}

// cursorOf is a stand-in for GraphQL's opaque place in a list.
func cursorOf(node object) string {
	return base64.StdEncoding.EncodeToString([]byte("cursor:" + node["id"].(string)))
}

// newestComments answers with the last comments of the conversation.
func (s *Server) newestComments(c *call, q query) (any, error) {
	repo, pr, refusal := s.pullAsked(q)
	if refusal != nil {
		return refusal, nil
	}
	nodes := s.commentNodes(c, repo, pr)
	nodes = nodes[max(0, len(nodes)-100):]
	return object{"data": object{"repository": object{"pullRequest": object{"comments": object{"nodes": nodes}}}}}, nil
}

// pullAsked returns the pull request that a query names, or GraphQL's refusal.
func (s *Server) pullAsked(q query) (*Repository, *PullRequest, object) {
	var in struct {
		Owner, Name string
		Number      int
		After       string // of those that ask for more
	}
	if fault := strictly(q.Variables, &in); fault != "" {
		return nil, nil, refuseQuery("INVALID", "Variable was provided invalid value: "+fault)
	}
	repo, pr := s.findPull(in.Owner+"/"+in.Name, in.Number)
	if pr == nil {
		return nil, nil, refuseQuery("NOT_FOUND", "Could not resolve to a PullRequest")
	}
	return repo, pr, nil
}

// commentNodes returns the comments that are listed by now.
func (s *Server) commentNodes(c *call, repo *Repository, pr *PullRequest) []object {
	nodes := []object{}
	for _, x := range s.listed(c, repo, pr) {
		nodes = append(nodes, c.commentNode(repo, x))
	}
	return nodes
}

// commentNode is GraphQL's shape of a comment.
func (c *call) commentNode(repo *Repository, x Comment) object {
	return object{"fullDatabaseId": bigInt(x.ID), "id": nodeID("IssueComment", x.ID), "author": actor(x.Author), "body": x.Body, "url": c.commentShape(repo, x)["html_url"]}
}

// bigInt is GraphQL's BigInt, a string.
func bigInt(n int64) string { return strconv.FormatInt(n, 10) }

// threads returns the comments on the diff, each with its answers.
func threads(pr *PullRequest) []object {
	all := []object{}
	for _, v := range pr.Reviews {
		for _, x := range v.Comments {
			if v.State == "PENDING" || x.ReplyTo != 0 {
				continue
			}
			thread := object{"path": x.Path, "line": x.Line, "isOutdated": x.Outdated, "comments": connection(said(pr, x.ID), 20)}
			if x.Outdated {
				thread["line"] = nil
			}
			all = append(all, thread)
		}
	}
	return all
}

// said returns a comment on the diff and what answers it.
func said(pr *PullRequest, id int64) []object {
	all := []object{}
	for _, v := range pr.Reviews {
		for _, x := range v.Comments {
			if x.ID != id && x.ReplyTo != id {
				continue
			}
			author := x.Author
			if author == "" {
				author = v.Author
			}
			one := object{"fullDatabaseId": bigInt(x.ID), "id": nodeID("PullRequestReviewComment", x.ID), "author": actor(author), "body": x.Body, "replyTo": nil}
			if x.ReplyTo != 0 {
				one["replyTo"] = object{"fullDatabaseId": bigInt(x.ReplyTo)}
			}
			all = append(all, one)
		}
	}
	return all
}

// connection is the first page of a list.
func connection(nodes []object, size int) object {
	return object{"pageInfo": object{"hasNextPage": len(nodes) > size}, "nodes": nodes[:min(len(nodes), size)]}
}

// actor names an author in GraphQL's way: an app without the suffix that the
// REST API gives it.
func actor(login string) object {
	if name, bot := strings.CutSuffix(login, "[bot]"); bot {
		return object{"__typename": "Bot", "login": name}
	}
	return object{"__typename": "User", "login": login}
}
