// There is nothing to set up.
