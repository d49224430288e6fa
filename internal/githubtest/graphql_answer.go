package githubtest

import "net/http"

// refuse returns a GraphQL error.
func refuse(kind, message string) *failure {
	return &failure{Status: http.StatusOK, Message: message, Body: object{"data": nil, "errors": []any{object{"type": kind, "message": message}}}}
}

func noNode(id string) *failure {
	return refuse("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'")
}

// nested returns objects within each other, one for each field, around a value.
func nested(value any, fields ...string) object {
	for i := len(fields) - 1; i > 0; i-- {
		value = object{fields[i]: value}
	}
	return object{fields[0]: value}
}
