"use strict";
// Playwright's server ends when its standard input closes, which node sees only of a stream
// that is read.
process.stdin.resume();
