// SQLite (sqlite.org/c3ref/intro.html). Result codes that its header builds by arithmetic are compared in Swift by
// their lowest byte, so that none has to be repeated here.

#ifndef CANVAS_CSQLITE_SHIM_H
#define CANVAS_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
