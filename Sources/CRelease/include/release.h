#ifndef CANVAS_RELEASE_H
#define CANVAS_RELEASE_H

/// The commit of the sources that this was built from. Text without a digit if it is unknown.
const char *canvas_commit(void);

#endif
