"""An nginx process on a free loopback port, for one test."""

import contextlib
import os
import signal
import subprocess
import tempfile

import pytest

from ports import free_port
from server import tool
from waiting import wait_until


class Nginx:
    """nginx, which runs within `with`. `site` returns the `http` block, and may write files into `folder`."""

    def __init__(self):
        self.program = tool("nginx") or pytest.skip("nginx is not here; scripts/setup test fetches it")

    def site(self):
        raise NotImplementedError

    def __enter__(self):
        self.files = tempfile.TemporaryDirectory(prefix="canvas-nginx-")
        self.folder = folder = self.files.name
        self.port = free_port()
        places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors.log;\n"
                f"events {{}}\nhttp {{\n{places}{self.site()}}}\n"
            )
        self.process = self.start(self.program, "-p", folder, "-e", f"{folder}/errors.log", "-c", path)
        try:
            self.wait_until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_until_it_listens(self):
        """Waits for nginx's pid file, which it writes once its ports are open, in whichever network namespace."""
        wait_until(
            lambda: os.path.exists(f"{self.folder}/pid") or self.process.poll() is not None, lambda: self.log("errors.log"))
        assert self.process.poll() is None, self.log("errors.log")

    def start(self, *command):
        return subprocess.Popen(command)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        self.process.kill()
        self.process.wait()
        self.files.cleanup()

    def log(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()
