// Package organisation has no code of the product: its tests let a whole
// organisation use Breadcrumb on an in-memory GitHub for thousands of steps and
// compare what comes of it with a model that is simple enough to be right.
package organisation
