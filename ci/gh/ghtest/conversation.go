package ghtest

import (
	"regexp"
	"strings"
)

// conversationQuery is the one query that reads a pull request's conversation:
// https://docs.github.com/en/graphql/reference/objects#pullrequest
var conversationQuery = regexp.MustCompile(`^query\(\$owner:String!,\$name:String!,\$number:Int!\)\{viewer\{login\}repository\(owner:\$owner,name:\$name\)\{` +
	`pullRequest\(number:\$number\)\{headRefOid comments\(first:100\)\{pageInfo\{hasNextPage\}nodes\{databaseId author\{__typename login\}body url\}\}` +
	`reviewThreads\(first:100\)\{pageInfo\{hasNextPage\}nodes\{path line isOutdated comments\(first:20\)\{pageInfo\{hasNextPage\}nodes\{databaseId id author\{__typename login\}body replyTo\{databaseId\}\}\}\}\}\}\}\}$`)

// conversation answers with the pull request's comments, those on its diff in
// threads.
func (s *Server) conversation(c *call, q query) (any, error) {
	var in struct {
		Owner, Name string
		Number      int
	}
	if fault := strictly(q.Variables, &in); fault != "" {
		return refuseQuery("INVALID", "Variable was provided invalid value: "+fault), nil
	}
	repo, pr := s.pullOf(in.Owner+"/"+in.Name, in.Number)
	if pr == nil {
		return refuseQuery("NOT_FOUND", "Could not resolve to a PullRequest"), nil
	}
	comments := []object{}
	for _, x := range s.listed(c, repo, pr) {
		comments = append(comments, object{"databaseId": x.ID, "author": actor(x.Author), "body": x.Body, "url": c.commentShape(repo, x)["html_url"]})
	}
	return object{"data": object{"viewer": object{"login": c.token.Login}, "repository": object{"pullRequest": object{
		"headRefOid": pr.HeadSHA, "comments": connection(comments, 100), "reviewThreads": connection(threads(pr), 100),
	}}}}, nil
}

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
			one := object{"databaseId": x.ID, "id": nodeID("PullRequestReviewComment", x.ID), "author": actor(author), "body": x.Body, "replyTo": nil}
			if x.ReplyTo != 0 {
				one["replyTo"] = object{"databaseId": x.ReplyTo}
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
