// The only structure of libpq that is looked into (postgresql.org/docs/15/libpq-notify.html), as libpq-fe.h declares it.
// That header is not used, so that nobody needs libpq's development files to build a server.

#ifndef CANVAS_CPOSTGRES_SHIM_H
#define CANVAS_CPOSTGRES_SHIM_H

struct postgres_notification {
  char *channel;
  int process;
  char *payload;
};

#endif
