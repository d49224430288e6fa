// Package values follows a text through the code of a project: which constant, field, enum,
// entry of a map, row of a table or parameter has it, and all that is done with that. What
// cannot be followed for certain is no value.
//
// ConstantOf finds what a literal is the value of, and FindUses where that is used; HelpersOf
// and ConstructorsAt find the functions that a call hands a text to, and their UsesOf what
// they do with it.
package values
