package githubtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var graphQLRoutes = []route{{"POST", "/graphql", read, withBody((*call).answerGraphQL)}}

// query is the body of a GraphQL request.
type query struct {
	Query     string
	Variables json.RawMessage
}

// answerGraphQL answers the queries and mutations that Breadcrumb makes, however
// they are spaced. It refuses every other one as GraphQL does, with status 200.
func (c *call) answerGraphQL(in query) (any, error) {
	do, known := operations[squeeze(in.Query)]
	if comparedQuery.MatchString(squeeze(in.Query)) {
		do, known = (*call).answerCompared, true
	}
	if !known {
		return nil, refuse("UNKNOWN", "this server does not know this query")
	}
	return do(c, in.Variables)
}

// operation answers a query or mutation with its variables.
type operation func(*call, json.RawMessage) (any, error)

var operations = map[string]operation{
	"{viewer{login}}":      (*call).answerViewer,
	"query{viewer{login}}": (*call).answerViewer,
	conversationQuery:      ofPull((*call).conversation),
	newestQuery:            ofPull((*call).newestComments),
	nextQuery:              ofPull((*call).nextComments),
	addMutation:            mutation("$input of type AddCommentInput!", (*call).addCommentNode),
	editMutation:           mutation("$input of type UpdateIssueCommentInput!", (*call).editCommentNode),
	deleteMutation:         mutation("$input of type DeleteIssueCommentInput!", (*call).deleteCommentNode),
	commitMutation:         mutation("$input of type CreateCommitOnBranchInput!", (*call).commitOnBranch),
	newestCommitsQuery:     (*call).answerCommits,
	mergedQuery:            withVariables("Variable", (*call).mergedPulls),
	minimizeMutation:       mutation("$id of type ID!", (*call).minimizeComment),
}

var besidePunctuation = regexp.MustCompile(`\s*([(){}:,!])\s*`)

// squeeze removes the white space that has no meaning in a query.
func squeeze(query string) string {
	return besidePunctuation.ReplaceAllString(strings.Join(strings.Fields(query), " "), "$1")
}

// withVariables returns the operation that first decodes its variables, of which it
// must know every one, as GraphQL demands. name says what they are.
func withVariables[In any](name string, do func(*call, In) (any, error)) operation {
	return func(c *call, variables json.RawMessage) (any, error) {
		var in In
		decoder := json.NewDecoder(bytes.NewReader(variables))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&in); err != nil {
			return nil, refuse("INVALID", name+" was provided invalid value: "+err.Error())
		}
		return do(c, in)
	}
}

// mutation returns the operation that refuses a token that may not write.
func mutation[In any](variable string, do func(*call, In) (any, error)) operation {
	return withVariables("Variable "+variable, func(c *call, in In) (any, error) {
		if c.isReadOnly() {
			return nil, refuse("FORBIDDEN", inaccessible.Message)
		}
		return do(c, in)
	})
}

// pullVariables name a pull request.
type pullVariables struct {
	Owner, Name string
	Number      int
	After       string // cursor, of queries for a further page
}

// ofPull returns the operation that first finds the pull request of its variables.
func ofPull(do func(*call, pullVariables) (any, error)) operation {
	return withVariables("Variable", func(c *call, in pullVariables) (any, error) {
		if c.repo = c.state.findRepository(in.Owner + "/" + in.Name); c.repo != nil {
			c.pr = c.repo.findPull(in.Number)
		}
		if c.pr == nil {
			return nil, refuse("NOT_FOUND", "Could not resolve to a PullRequest")
		}
		return do(c, in)
	})
}

func (c *call) answerViewer(json.RawMessage) (any, error) {
	return nested(c.token.Login, "data", "viewer", "login"), nil
}

// The queries that read a pull request's conversation, and the mutations of a
// comment:
// https://docs.github.com/en/graphql/reference/objects#pullrequest
// https://docs.github.com/en/graphql/reference/mutations#addcomment
const (
	conversationQuery = `query($owner:String!,$name:String!,$number:Int!){viewer{login}repository(owner:$owner,name:$name){` +
		`pullRequest(number:$number){id headRefOid comments(first:100){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}` +
		`reviewThreads(first:100){pageInfo{hasNextPage}nodes{path line isOutdated comments(first:20){pageInfo{hasNextPage}nodes{fullDatabaseId id author{__typename login}body replyTo{fullDatabaseId}}}}}}}}`
	nextQuery = `query($owner:String!,$name:String!,$number:Int!,$after:String!){repository(owner:$owner,name:$name){` +
		`pullRequest(number:$number){comments(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}}}}`
	newestQuery = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){` +
		`pullRequest(number:$number){comments(last:100){nodes` + commentFields + `}}}}`

	addMutation  = `mutation($input:AddCommentInput!){addComment(input:$input){commentEdge{node` + commentFields + `}}}`
	editMutation = `mutation($input:UpdateIssueCommentInput!){updateIssueComment(input:$input){issueComment{fullDatabaseId id author{__typename login}body url pullRequest{headRefOid}` +
		`newest:userContentEdits(first:10){nodes` + editFields + `}oldest:userContentEdits(last:10){nodes` + editFields + `}}}}`
	deleteMutation = `mutation($input:DeleteIssueCommentInput!){deleteIssueComment(input:$input){clientMutationId}}`

	// editFields are the fields that are asked of an edit.
	editFields = `{diff editor{__typename login}}`

	// commentFields are the fields that the queries ask of a comment.
	commentFields = `{fullDatabaseId id author{__typename login}body url}`
)

// conversation answers with the pull request's comments, those on its diff in
// threads.
func (c *call) conversation(pullVariables) (any, error) {
	return object{"data": object{"viewer": object{"login": c.token.Login}, "repository": object{"pullRequest": object{
		"id": c.pullNode(*c.pr), "headRefOid": c.pr.HeadSHA,
		"comments": commentPage(c.commentNodes()), "reviewThreads": connection(threadShapes(c.pr), 100),
	}}}}, nil
}

// nextComments answers with the comments after the one that a cursor names.
func (c *call) nextComments(in pullVariables) (any, error) {
	nodes := c.commentNodes()
	at := slices.IndexFunc(nodes, func(x object) bool { return cursorOf(x) == in.After })
	if at < 0 {
		return nil, refuse("INVALID_CURSOR_ARGUMENTS", "`"+in.After+"` does not appear to be a valid cursor.")
	}
	return nested(commentPage(nodes[at+1:]), "data", "repository", "pullRequest", "comments"), nil
}

// newestComments answers with the last comments of the conversation.
func (c *call) newestComments(pullVariables) (any, error) {
	nodes := c.commentNodes()
	return nested(nodes[max(0, len(nodes)-100):], "data", "repository", "pullRequest", "comments", "nodes"), nil
}

// connection is the first page of a list.
func connection(nodes []object, size int) object {
	return object{"pageInfo": object{"hasNextPage": len(nodes) > size}, "nodes": nodes[:min(len(nodes), size)]}
}

// commentPage is the first page of comments, with the cursor of its end.
func commentPage(nodes []object) object {
	p := connection(nodes, 100)
	info := p["pageInfo"].(object)
	info["endCursor"] = nil
	if len(nodes) > 0 {
		info["endCursor"] = cursorOf(nodes[min(len(nodes), 100)-1])
	}
	return p
}

// cursorOf returns a stand-in for GraphQL's opaque cursor.
func cursorOf(node object) string {
	return base64.StdEncoding.EncodeToString([]byte("cursor:" + node["id"].(string)))
}

// commentNodes returns the comments that lists show by now.
func (c *call) commentNodes() []object { return shapesOf(c.listedComments(), c.commentNode) }

// commentNode is GraphQL's shape of a comment.
func (c *call) commentNode(x Comment) object {
	return object{"fullDatabaseId": bigInt(x.ID), "id": nodeID("IssueComment", x.ID), "author": actorShape(x.Author), "body": x.Body, "url": c.commentShape(x)["html_url"]}
}

// bigInt is GraphQL's BigInt, a string.
func bigInt(n int64) string { return strconv.FormatInt(n, 10) }

// actorShape names an author in GraphQL's way: an app without the suffix that the
// REST API gives it.
func actorShape(login string) object {
	if name, bot := strings.CutSuffix(login, "[bot]"); bot {
		return object{"__typename": "Bot", "login": name}
	}
	return object{"__typename": "User", "login": login}
}

// threadShapes returns the comments on the diff, each with its answers.
func threadShapes(pr *PullRequest) []object {
	all := []object{}
	for _, v := range pr.Reviews {
		for _, x := range v.Comments {
			if v.State == "PENDING" || x.ReplyTo != 0 {
				continue
			}
			thread := object{"path": x.Path, "line": x.Line, "isOutdated": x.Outdated, "comments": connection(threadNodes(pr, x.ID), 20)}
			if x.Outdated {
				thread["line"] = nil
			}
			all = append(all, thread)
		}
	}
	return all
}

// threadNodes returns a comment on the diff and what answers it.
func threadNodes(pr *PullRequest, id int64) []object {
	all := []object{}
	for _, v := range pr.Reviews {
		for _, x := range v.Comments {
			if x.ID != id && x.ReplyTo != id {
				continue
			}
			one := object{"fullDatabaseId": bigInt(x.ID), "id": nodeID("PullRequestReviewComment", x.ID), "author": actorShape(x.author(v)), "body": x.Body, "replyTo": nil}
			if x.ReplyTo != 0 {
				one["replyTo"] = object{"fullDatabaseId": bigInt(x.ReplyTo)}
			}
			all = append(all, one)
		}
	}
	return all
}

// input is the one variable of most mutations.
type input[In any] struct{ Input In }

// addCommentNode adds a comment to a pull request's conversation.
func (c *call) addCommentNode(in input[struct{ SubjectID, Body string }]) (any, error) {
	if !c.findPullNode(in.Input.SubjectID) {
		return nil, noNode(in.Input.SubjectID)
	}
	if c.pr.Locked {
		return nil, refuse("UNPROCESSABLE", "Unable to create comment because issue is locked.")
	}
	if err := checkCommentText(in.Input.Body); err != nil {
		return nil, err
	}
	made := c.state.addComment(c.repo, c.pr.Number, c.token.Login, in.Input.Body, c.now)
	return nested(c.commentNode(*made), "data", "addComment", "commentEdge", "node"), nil
}

// editCommentNode changes the text of a comment of the conversation.
func (c *call) editCommentNode(in input[struct{ ID, Body string }]) (any, error) {
	comment := c.findCommentNode(in.Input.ID)
	if comment == nil {
		return nil, noNode(in.Input.ID)
	}
	if err := checkCommentText(in.Input.Body); err != nil {
		return nil, err
	}
	c.editComment(comment, in.Input.Body)
	return nested(c.editedNode(*comment), "data", "updateIssueComment", "issueComment"), nil
}

// editedNode is GraphQL's shape of a comment with its edits, newest first.
func (c *call) editedNode(x Comment) object {
	node := c.commentNode(x)
	node["pullRequest"] = nil
	if pr := c.repo.findPull(x.Issue); pr != nil {
		node["pullRequest"] = object{"headRefOid": pr.HeadSHA}
	}
	edits := []object{}
	for _, e := range slices.Backward(x.Past) {
		edits = append(edits, object{"diff": e.Body, "editor": actorShape(e.Editor)})
	}
	node["newest"] = object{"nodes": edits[:min(len(edits), 10)]}
	node["oldest"] = object{"nodes": edits[max(0, len(edits)-10):]}
	return node
}

// deleteCommentNode deletes a comment of the conversation.
func (c *call) deleteCommentNode(in input[struct{ ID string }]) (any, error) {
	comment := c.findCommentNode(in.Input.ID)
	if comment == nil {
		return nil, noNode(in.Input.ID)
	}
	c.removeComment(comment.ID)
	return nested(nil, "data", "deleteIssueComment", "clientMutationId"), nil
}

// checkCommentText returns an error for a text that a comment cannot have.
func checkCommentText(body string) error {
	return checkText(body, refuse("UNPROCESSABLE", "Body cannot be blank"), refuse("UNPROCESSABLE", tooLong))
}

// findPullNode sets the call's pull request to the one with that GraphQL id.
func (c *call) findPullNode(id string) bool {
	for i := range c.state.Repositories {
		c.repo = &c.state.Repositories[i]
		for j := range c.repo.PullRequests {
			if c.pr = &c.repo.PullRequests[j]; c.pullNode(*c.pr) == id {
				return true
			}
		}
	}
	return false
}

// findCommentNode returns the comment with that GraphQL id, nil where there is none,
// and sets the call's repository to the one that has it.
func (c *call) findCommentNode(id string) *Comment {
	for i := range c.state.Repositories {
		c.repo = &c.state.Repositories[i]
		if x := find(c.repo.Comments, func(x Comment) bool { return nodeID("IssueComment", x.ID) == id }); x != nil {
			return x
		}
	}
	return nil
}

func (c *call) minimizeComment(in struct{ ID string }) (any, error) {
	for _, r := range c.state.Repositories {
		if _, x := r.reviewComment(func(x ReviewComment) bool { return nodeID("PullRequestReviewComment", x.ID) == in.ID }); x != nil {
			x.Minimized = "OUTDATED"
			return nested(true, "data", "minimizeComment", "minimizedComment", "isMinimized"), nil
		}
	}
	return nil, noNode(in.ID)
}
