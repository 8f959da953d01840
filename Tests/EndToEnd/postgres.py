"""PostgreSQL servers for tests, in temporary directories and on free loopback ports. They are removed at the end.

    python3 postgres.py COMMAND…

runs a command with a server, whose address is in TEST_POSTGRES. STANDBYS=2 starts two standbys too, and each commit
waits for one of them. Only Python and PostgreSQL are needed.
"""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

from ports import free_port
from waiting import wait_until

BINARIES = (sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4])) or [None])[-1]


class Cluster:
    """A primary with standbys, for which its commits wait: `with Cluster(2) as cluster`."""

    def __init__(self, standbys=0):
        self.folder = tempfile.mkdtemp(prefix="canvas-postgres-")
        self.ports = [free_port() for _ in range(standbys + 1)]
        # The user that runs PostgreSQL, which refuses to run as root. None means the current user.
        self.user = None
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def __enter__(self):
        self._run("initdb", "--pgdata", self.data(0), "--username", "canvas", "--auth", "trust", "--encoding", "UTF8", "--locale", "C")
        self.start(0)
        for number in range(1, len(self.ports)):
            address = f"{self._address(0)}/postgres?application_name=standby{number}"
            self._run("pg_basebackup", "--pgdata", self.data(number), "--write-recovery-conf", "--checkpoint", "fast", "--dbname", address)
            self.start(number)
        if len(self.ports) > 1:
            self.await_standbys(0)
        return self

    def __exit__(self, *_):
        for number in range(len(self.ports)):
            self.resume(number)
            self._run("pg_ctl", "--pgdata", self.data(number), "--mode", "immediate", "--wait", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def await_standbys(self, primary):
        """Makes commits of this server wait for one of the other servers."""
        names = ", ".join(f"standby{number}" for number in range(1, len(self.ports)))
        self.set(primary, f"synchronous_standby_names = 'ANY 1 ({names})'")

    @property
    def address(self):
        """The address of all servers together, from which clients find the primary. A database's name follows."""
        return "postgresql://canvas@" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def messages(self, number):
        """What the server has logged."""
        with open(self._messages(number), encoding="utf-8") as file:
            return file.read()

    def _messages(self, number):
        return self.data(number) + "/messages"

    def start(self, number):
        settings = f"-p {self.ports[number]} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=400"
        data = self.data(number)
        self._run("pg_ctl", "--pgdata", data, "--log", self._messages(number), "--wait", "--options", settings, "start")

    def processes(self, number):
        """The process ids of a server, the main process first."""
        with open(self.data(number) + "/postmaster.pid", encoding="ascii") as file:
            parent = int(file.readline())
        children = subprocess.run(["pgrep", "--parent", str(parent)], capture_output=True, text=True, check=False).stdout.split()
        return [parent, *map(int, children)]

    def signal(self, number, kind):
        """Sends a signal to all processes of a server."""
        for process in self.processes(number):
            try:
                os.kill(process, kind)
            except ProcessLookupError:
                pass

    def stop(self, number):
        """Shuts the server down cleanly, as an operator would."""
        self._run("pg_ctl", "--pgdata", self.data(number), "--mode", "fast", "--wait", "stop")

    def kill(self, number):
        """Kills all processes of the server at once, as a power cut would."""
        self.signal(number, signal.SIGKILL)
        # PostgreSQL refuses to start while a process with the id in this file exists. The killed process may still
        # exist as a zombie.
        os.remove(self.data(number) + "/postmaster.pid")

    def resume(self, number):
        try:
            self.signal(number, signal.SIGCONT)
        except (FileNotFoundError, ValueError):
            pass

    def promote(self, number):
        """Makes a standby the primary."""
        self._run("pg_ctl", "--pgdata", self.data(number), "--wait", "promote")

    def set(self, number, setting):
        """Changes a setting of the server, for example "fsync = off"."""
        self.ask(number, f"ALTER SYSTEM SET {setting}")
        self.reload(number)

    def reset(self, number, name):
        self.ask(number, f"ALTER SYSTEM RESET {name}")
        self.reload(number)

    def reload(self, number):
        """Makes the server read its settings again, and waits until new connections have them."""
        def loaded():
            """The time at which the settings of a new connection were read."""
            return self.ask(number, "SELECT pg_conf_load_time()")

        before = loaded()
        self.ask(number, "SELECT pg_reload_conf()")
        wait_until(loaded, "PostgreSQL reads its settings again", holds=lambda now: now != before)

    def ask(self, number, command, database="postgres"):
        """Runs an SQL command, and returns its rows, one per line."""
        return ask(f"{self._address(number)}/{database}", command)

    def _address(self, number):
        return f"postgresql://canvas@127.0.0.1:{self.ports[number]}"

    def data(self, number):
        return os.path.join(self.folder, f"data{number}")

    def _run(self, program, *arguments, check=True):
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        subprocess.run(
            [os.path.join(BINARIES, program), *arguments], cwd=self.folder, check=check,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who,
        )


def ask(url, command):
    """Runs an SQL command, and returns its rows, one per line."""
    done = subprocess.run(
        ["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command", command, url],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def main():
    command = sys.argv[1:]
    if BINARIES is None:
        print("PostgreSQL isn't installed, so the tests that need it are skipped", file=sys.stderr)
        sys.exit(subprocess.run(command, check=False).returncode)
    with Cluster(int(os.environ.get("STANDBYS", "0"))) as cluster:
        address = f"postgresql://canvas@127.0.0.1:{cluster.ports[0]}"
        sys.exit(subprocess.run(command, check=False, env=os.environ | {"TEST_POSTGRES": address}).returncode)


if __name__ == "__main__":
    main()
