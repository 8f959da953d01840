// Makes a server's commits take milliseconds, as on an ordinary disk, if it is preloaded (LD_PRELOAD). On a tmpfs commits
// take no time, so a kill would hardly ever happen between an operation's arrival and its commit.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

// SQLite writes this many bytes before each page that it adds to its write-ahead log (sqlite.org/fileformat2.html#walformat).
// Other writes stay fast, because a starting server copies thousands of pages into the database.
static const size_t frame_header_bytes = 24;

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  if (count == frame_header_bytes) usleep(random() % 1000);
  return next(file, bytes, count, place);
}

int fdatasync(int file) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
  usleep(random() % 10000);
  return next(file);
}
