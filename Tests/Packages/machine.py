"""A chroot to install packages in: an overlay in memory over this machine's file system, which disappears at the
end."""

import os
import re
import subprocess

# The timeout for one command. A command that takes this long has hung.
SECONDS = 300


def output(*words, seconds=SECONDS, **others):
    """Runs a command that must succeed, and returns its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds, **others)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def make_older(package, folder):
    """Makes a package like that of an older release, with other settings."""
    tree = os.path.join(folder, "tree")
    output("dpkg-deb", "--raw-extract", package, tree)
    with open(f"{tree}/DEBIAN/control") as file:
        control = re.sub("^Version: .*$", "Version: 0.8.0", file.read(), flags=re.M)
    with open(f"{tree}/DEBIAN/control", "w") as file:
        file.write(control)
    with open(f"{tree}/etc/canvas-sync.conf", "w") as file:
        file.write("# Settings, as they were explained in the release before.\n")
    output("dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, f"{folder}/older.deb")
    return f"{folder}/older.deb"


class Machine:
    """The chroot's mounts are in a namespace that ends with its process, so nothing stays on this machine."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "root")
        os.makedirs(self.root)
        script = f"""
            mount -t tmpfs tmpfs {folder}/root && mkdir {folder}/root/upper {folder}/root/work {folder}/root/all &&
            mount -t overlay overlay -o lowerdir=/,upperdir={folder}/root/upper,workdir={folder}/root/work {folder}/root/all &&
            mount --bind /proc {folder}/root/all/proc && mount --rbind /dev {folder}/root/all/dev && echo there && read end
        """
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if self._holder.stdout.readline() != "there\n":
            raise OSError(self._holder.communicate()[1])
        # While this file exists, each installation of a package reindexes all manual pages of the machine.
        self.run("rm", "-f", "/var/lib/man-db/auto-update")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._holder.communicate("\n")

    def command(self, *words, user=None):
        who = [f"--userspec={user}:{user}"] if user else []
        inside = ["chroot", *who, f"{self.root}/all", *map(str, words)]
        return ["nsenter", f"--mount=/proc/{self._holder.pid}/ns/mnt", *inside]

    def run(self, *words, check=True):
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=SECONDS,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout if check else done

    def put(self, path, file):
        """Copies a file of this machine into the chroot."""
        with open(file, "rb") as content:
            subprocess.run(self.command("sh", "-c", f"cat > {path}"), stdin=content, check=True)

    def has(self, path):
        return self.run("test", "-e", path, check=False).returncode == 0
