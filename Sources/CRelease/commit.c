#include "release.h"

// For a working tree, the Makefile passes the commit: CANVAS_COMMIT, by way of Package.swift. For an archive, `git
// archive` fills in the line below.
#ifndef CANVAS_COMMIT
#define CANVAS_COMMIT "$Format:%H$"
#endif

const char *canvas_commit(void) { return CANVAS_COMMIT; }
