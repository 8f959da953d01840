#include "release.h"

// The Makefile says the commit of a working tree: CANVAS_COMMIT, by way of Package.swift. `git archive` says that of an archive, by
// filling in the line below.
#ifndef CANVAS_COMMIT
#define CANVAS_COMMIT "$Format:%H$"
#endif

const char *canvas_commit(void) { return CANVAS_COMMIT; }
