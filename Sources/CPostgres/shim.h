// The only structures of libpq whose fields are read, as libpq-fe.h declares them: PGnotify
// (postgresql.org/docs/15/libpq-notify.html) and PQconninfoOption (libpq-connect.html#LIBPQ-PQCONNDEFAULTS). That
// header is not used, so that nobody needs libpq's development files to build a server.

#ifndef CANVAS_CPOSTGRES_SHIM_H
#define CANVAS_CPOSTGRES_SHIM_H

struct postgres_notification {
  char *channel;
  int process;
  char *payload;
};

struct postgres_option {
  char *keyword;
  char *variable;
  char *compiled;
  char *value;
  char *label;
  char *shown;
  int size;
};

#endif
