"""A small disk for the data directory, which tests fill and free."""

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile

MEGABYTES = 160
# This variable is set in the process that runs in its own mount namespace.
APART = "CHAOS_APART"


def apart():
    """Restarts this program in its own mount namespace, if the system lets it, so that its mounts go with it."""
    if APART in os.environ:
        return
    for more in ([], ["--user", "--map-root-user"]):
        words = ["unshare", "--mount", *more]
        with contextlib.suppress(OSError):
            if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
                os.environ[APART] = "1"
                os.execvp(words[0], [*words, sys.executable, *sys.argv])


class Disk:
    """A small tmpfs. Where none can be mounted, a limit on the size of files makes writes fail in the same way."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="canvas-chaos-")
        self.is_mounted = False
        if APART in os.environ:
            words = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", self.folder]
            self.is_mounted = subprocess.run(words, capture_output=True).returncode == 0
        self.data = os.path.join(self.folder, "data")
        self.ballast = os.path.join(self.folder, "ballast")
        # These files must not take space on the small test disk: a copy of the data, and a library. So they have a
        # folder elsewhere.
        self.beside = tempfile.mkdtemp(prefix="canvas-chaos-beside-")
        self.copy = os.path.join(self.beside, "copy")
        for folder in (self.data, self.copy):
            os.mkdir(folder)

    @property
    def environment(self):
        """For the server: a library that makes commits as slow as on an ordinary disk."""
        library = os.path.join(self.beside, "slow_disk.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_disk.c")
        subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return {"LD_PRELOAD": library}

    @property
    def words(self):
        if self.is_mounted:
            return f"a tmpfs of {MEGABYTES} MB"
        return "an ordinary folder, since no tmpfs can be mounted here; a bound on file sizes stands for the full disk"

    def fill(self, server):
        """Fills the remaining space. The caller repeats this, because the server may free space."""
        if not self.is_mounted:
            # Limits the size of the server's files to the size of the write-ahead log. Every write goes to that log
            # first, so every write fails.
            size = os.path.getsize(os.path.join(self.data, "canvas.db-wal"))
            return resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        with open(self.ballast, "ab") as ballast:
            chunk = 16 << 20
            while chunk >= 4096:
                try:
                    os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, chunk)
                except OSError:
                    chunk //= 2

    def free(self, server):
        if self.is_mounted:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.ballast)
        else:
            server.allow_files()

    def close(self):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", self.folder], capture_output=True)
        for folder in (self.folder, self.beside):
            shutil.rmtree(folder, ignore_errors=True)

