"""Three PostgreSQL servers managed by Patroni as in deploy/patroni.yml, and three etcd, on free loopback ports. The
programs are Debian's, which scripts/setup has unpacked into build/tools/patroni."""

import asyncio
import contextlib
import glob
import itertools
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

from ports import free_port
from postgres import BINARIES, Cluster
from relay import Relay
from server import ROOT

TOOLS = os.path.join(ROOT, "build", "tools", "patroni")
DATABASES = 3


def is_here():
    return BINARIES is not None and os.path.exists(os.path.join(TOOLS, "usr", "bin", "patroni"))


class PatroniCluster(Cluster):
    """Three PostgreSQL servers that run within `with`: a primary, and two standbys for which its commits wait. The
    machines reach each other and etcd through relays, which `cut` closes. Nodes of the server reach the databases
    directly."""

    def __init__(self):
        super().__init__(DATABASES - 1)
        self.watchers = [None] * DATABASES
        self.observers = []
        self.rest = [free_port() for _ in range(DATABASES)]
        self.doors = [(free_port(), free_port()) for _ in range(DATABASES)]
        # For each machine, the relays to every etcd, to its PostgreSQL and to its Patroni.
        self.cables = []
        # The relays have their own thread, because tests block while they wait for programs that need the relays.
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        try:
            self.thread.start()
            for number in range(DATABASES):
                ports = [door for door, _ in self.doors] + [self.ports[number], self.rest[number]]
                self.cables.append([self._on_thread(Relay(port).__aenter__()) for port in ports])
            # Copies the tools, because the user that runs PostgreSQL may not be allowed to read the project's folder.
            self.tools = shutil.copytree(TOOLS, os.path.join(self.folder, "tools"))
            self._certify()
            for number in range(DATABASES):
                self.observers.append(self._begin(number, "etcd", self._etcd(number)))
            for number in range(DATABASES):
                with open(self._settings(number), "w", encoding="utf-8") as file:
                    file.write(self._template(number))
                self.watch(number)
            self.await_state(lambda states: sorted(states) == ["master", "sync_standby", "sync_standby"], 60)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in [*self.watchers, *self.observers]:
            if process:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        super().__exit__()
        for cable in itertools.chain(*self.cables):
            self._on_thread(cable.__aexit__())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def _on_thread(self, doing):
        return asyncio.run_coroutine_threadsafe(doing, self.loop).result()

    def watch(self, number):
        """Starts Patroni, which in turn starts PostgreSQL."""
        python = ["/usr/bin/python3", os.path.join(self.tools, "usr", "bin", "patroni"), self._settings(number)]
        self.watchers[number] = self._begin(number, "patroni", python)

    def signal_watcher(self, number, kind):
        """Sends a signal to Patroni only."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.watchers[number].pid, kind)

    def all_of(self, number, kind):
        """Sends a signal to a machine's Patroni and PostgreSQL. etcd runs on other machines."""
        self.signal_watcher(number, kind)
        with contextlib.suppress(FileNotFoundError, ValueError):
            self.signal(number, kind)

    def cut(self, number):
        """Cuts a machine off from the others and etcd. Its processes go on, and nodes still reach it."""
        for cable in self.cables[number]:
            self.loop.call_soon_threadsafe(cable.hold)

    def mend(self, number):
        for cable in self.cables[number]:
            self.loop.call_soon_threadsafe(cable.let_go)

    @property
    def primary(self):
        return next((number for number in range(DATABASES) if self._role(number) == "master"), None)

    def await_state(self, holds, seconds):
        until = time.monotonic() + seconds
        while not holds([self._role(number) for number in range(DATABASES)]):
            assert time.monotonic() < until, f"{[self._role(number) for number in range(DATABASES)]}\n{self.words()}"
            time.sleep(0.1)

    def words(self):
        """The last lines of each program's output."""
        words = []
        for path in sorted(glob.glob(os.path.join(self.folder, "*.words"))):
            with open(path, encoding="utf-8", errors="replace") as file:
                words.append(f"{os.path.basename(path)}:\n{file.read()[-2000:]}")
        return "\n".join(words)

    def _role(self, number):
        """A machine's role: master, sync_standby or replica. Empty if Patroni is starting or not running."""
        with contextlib.suppress(OSError, ValueError):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest[number]}/patroni", timeout=1) as answer:
                state = json.load(answer)
                if state.get("state") == "running":
                    return "sync_standby" if state.get("sync_standby") else state["role"]
        return ""

    def _template(self, number):
        """The file from deploy/, with loopback ports and without passwords."""
        with open(os.path.join(ROOT, "deploy", "patroni.yml"), encoding="utf-8") as file:
            text = file.read()
        text = text.replace("name: database1", f"name: database{number + 1}")
        *etcd, database, watcher = (cable.own for cable in self.cables[number])
        text = text.replace("connect_address: 10.0.0.21:8008", f"connect_address: 127.0.0.1:{watcher}")
        text = text.replace("connect_address: 10.0.0.21:5432", f"connect_address: 127.0.0.1:{database}")
        text = text.replace("10.0.0.21:8008", f"127.0.0.1:{self.rest[number]}").replace("10.0.0.21:5432", f"127.0.0.1:{self.ports[number]}")
        # Without this setting, Patroni asks etcd for the addresses of etcd's own nodes, and connects to those instead
        # of the relays.
        text = text.replace("etcd:\n", "etcd:\n  use_proxies: true\n")
        for other, door in enumerate(etcd, 21):
            text = text.replace(f"10.0.0.{other}:2379", f"127.0.0.1:{door}")
        text = text.replace("/etc/patroni/database", os.path.join(self.certificates, "127.0.0.1"))
        text = text.replace("10.0.0.0/24 scram-sha-256", "127.0.0.1/32 trust").replace("username: postgres", "username: canvas")
        text = text.replace("/var/lib/postgresql/15/canvas", self.data(number)).replace("/usr/lib/postgresql/15/bin", BINARIES)
        text = text.replace("/var/lib/postgresql/.pgpass-patroni", os.path.join(self.folder, f"passwords{number}"))
        assert "10.0.0." not in text and "/var/lib" not in text and "/etc" not in text.replace("/etc/patroni/config.yml", "")
        # The last entries of the file are PostgreSQL's parameters, so another parameter can be appended.
        return text.rstrip() + '\n    unix_socket_directories: ""\n'

    def _certify(self):
        """Makes one certificate for all three machines, which have the same address here."""
        self.certificates = os.path.join(self.folder, "certificates")
        command = [os.path.join(ROOT, "deploy", "certificates"), self.certificates, "127.0.0.1"]
        subprocess.run(command, check=True, capture_output=True)
        if self.user:
            for name in (".", "127.0.0.1.crt", "127.0.0.1.key"):
                os.chown(os.path.join(self.certificates, name), self.user.pw_uid, self.user.pw_gid)

    def _etcd(self, number):
        def address(port):
            return f"http://127.0.0.1:{port}"

        door, side = self.doors[number]
        names = ",".join(f"etcd{other}={address(ports[1])}" for other, ports in enumerate(self.doors))
        return [
            os.path.join(self.tools, "usr", "bin", "etcd"), "--enable-v2=true", "--name", f"etcd{number}",
            "--data-dir", os.path.join(self.folder, f"etcd{number}"), "--initial-cluster", names, "--initial-cluster-state", "new",
            "--listen-client-urls", address(door), "--advertise-client-urls", address(door),
            "--listen-peer-urls", address(side), "--initial-advertise-peer-urls", address(side),
        ]

    def _settings(self, number):
        return os.path.join(self.folder, f"patroni{number}.yml")

    def _begin(self, number, program, command):
        """Starts a program as PostgreSQL's user, in its own process group."""
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        environment = {
            "PATH": os.environ["PATH"], "PYTHONPATH": os.path.join(self.tools, "usr", "lib", "python3", "dist-packages"), "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": self.folder,
        }
        with open(os.path.join(self.folder, f"{program}{number}.words"), "ab") as words:
            return subprocess.Popen(
                command, cwd=self.folder, stdout=words, stderr=words, stdin=subprocess.DEVNULL, start_new_session=True,
                env=environment, **who,
            )
