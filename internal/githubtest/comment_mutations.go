package githubtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The mutations of a comment, each with its input as the one variable:
// https://docs.github.com/en/graphql/reference/mutations#addcomment
var (
	addMutation    = regexp.MustCompile(`^mutation\(\$input:AddCommentInput!\)\{addComment\(input:\$input\)\{commentEdge\{node` + commentFields + `\}\}\}$`)
	editMutation   = regexp.MustCompile(`^mutation\(\$input:UpdateIssueCommentInput!\)\{updateIssueComment\(input:\$input\)\{issueComment` + commentFields + `\}\}$`)
	deleteMutation = regexp.MustCompile(`^mutation\(\$input:DeleteIssueCommentInput!\)\{deleteIssueComment\(input:\$input\)\{clientMutationId\}\}$`)
)

// addComment adds a comment to a pull request's conversation.
func (s *Server) addComment(c *call, q query) (any, error) {
	var in struct {
		Input struct {
			SubjectID string `json:"subjectId"`
			Body      string `json:"body"`
		} `json:"input"`
	}
	if refusal := s.refuseMutation(c, q, "AddCommentInput", &in); refusal != nil {
		return refusal, nil
	}
	repo, pr := s.pullNamed(in.Input.SubjectID)
	switch {
	case pr == nil:
		return noNode(in.Input.SubjectID), nil
	case pr.Locked:
		return refuseQuery("UNPROCESSABLE", "Unable to create comment because issue is locked."), nil
	}
	if refusal := refuseText(in.Input.Body); refusal != nil {
		return refusal, nil
	}
	node := c.commentNode(repo, *s.newComment(c, repo, pr, in.Input.Body))
	return object{"data": object{"addComment": object{"commentEdge": object{"node": node}}}}, nil
}

// editIssueComment gives a comment of the conversation another text.
func (s *Server) editIssueComment(c *call, q query) (any, error) {
	var in struct {
		Input struct {
			ID   string `json:"id"`
			Body string `json:"body"`
		} `json:"input"`
	}
	if refusal := s.refuseMutation(c, q, "UpdateIssueCommentInput", &in); refusal != nil {
		return refusal, nil
	}
	repo, at := s.commentNamed(in.Input.ID)
	if repo == nil {
		return noNode(in.Input.ID), nil
	}
	if refusal := refuseText(in.Input.Body); refusal != nil {
		return refusal, nil
	}
	c.reword(&repo.Comments[at], in.Input.Body)
	return object{"data": object{"updateIssueComment": object{"issueComment": c.commentNode(repo, repo.Comments[at])}}}, nil
}

// deleteIssueComment takes a comment of the conversation away.
func (s *Server) deleteIssueComment(c *call, q query) (any, error) {
	var in struct {
		Input struct {
			ID string `json:"id"`
		} `json:"input"`
	}
	if refusal := s.refuseMutation(c, q, "DeleteIssueCommentInput", &in); refusal != nil {
		return refusal, nil
	}
	repo, at := s.commentNamed(in.Input.ID)
	if repo == nil {
		return noNode(in.Input.ID), nil
	}
	repo.Comments = slices.Delete(repo.Comments, at, at+1)
	return object{"data": object{"deleteIssueComment": object{"clientMutationId": nil}}}, nil
}

// refuseMutation decodes a mutation's variables, and refuses what does not fit
// and who may not write.
func (s *Server) refuseMutation(c *call, q query, kind string, into any) object {
	if fault := strictly(q.Variables, into); fault != "" {
		return refuseQuery("INVALID", "Variable $input of type "+kind+"! was provided invalid value: "+fault)
	}
	if c.token.ReadOnly || s.options.Fork {
		return refuseQuery("FORBIDDEN", "Resource not accessible by integration")
	}
	return nil
}

// refuseText refuses what cannot be a comment's text.
func refuseText(body string) object {
	switch {
	case strings.TrimSpace(body) == "":
		return refuseQuery("UNPROCESSABLE", "Body cannot be blank")
	case utf8.RuneCountInString(body) > MaxBodyChars:
		return refuseQuery("UNPROCESSABLE", fmt.Sprintf("Body is too long (maximum is %d characters)", MaxBodyChars))
	}
	return nil
}

// pullNamed returns the pull request with GraphQL's id, nil where there is none.
func (s *Server) pullNamed(id string) (*Repository, *PullRequest) {
	for i := range s.state.Repositories {
		repo := &s.state.Repositories[i]
		for j := range repo.PullRequests {
			if pullNode(repo, &repo.PullRequests[j]) == id {
				return repo, &repo.PullRequests[j]
			}
		}
	}
	return nil, nil
}

// commentNamed returns the place of the comment with GraphQL's id, a nil
// repository where there is none.
func (s *Server) commentNamed(id string) (*Repository, int) {
	for i := range s.state.Repositories {
		repo := &s.state.Repositories[i]
		if at := slices.IndexFunc(repo.Comments, func(x Comment) bool { return nodeID("IssueComment", x.ID) == id }); at >= 0 {
			return repo, at
		}
	}
	return nil, 0
}

// pullNode is GraphQL's id of a pull request.
func pullNode(repo *Repository, pr *PullRequest) string {
	return nodeID("PullRequest", repo.ID<<20+int64(pr.Number))
}

func noNode(id string) object {
	return refuseQuery("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'")
}
