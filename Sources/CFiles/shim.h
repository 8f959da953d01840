// A system call that Swift's Glibc module leaves out, because the C library declares it only for GNU programs.

#ifndef CANVAS_CFILES_SHIM_H
#define CANVAS_CFILES_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// Renames a file or a directory, unless something has the new name already: RENAME_NOREPLACE
// (see rename(2)). Returns 0, or -1 with errno set.
static inline int cfiles_rename_new(const char *old_path, const char *new_path) {
  if (syscall(SYS_renameat2, AT_FDCWD, old_path, AT_FDCWD, new_path, 1) == 0) return 0;
  // Some file systems, such as NFS, can't do this. Then a moment is left in which another process may take the name.
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (faccessat(AT_FDCWD, new_path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(old_path, new_path);
}

#endif
