"""A slow network link between two network namespaces, with a server and writers at the near end, and a reader or a
browser at the far end. The link has a fixed rate. It may lose packets, go silent, forget connections, and give its far
end another address.

It needs root and Linux's `ip`, `tc` and `nft`, and removes everything at the end.
"""

import contextlib
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import server as servers
from load import processor_seconds
from nginx import Nginx

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = os.path.join(HERE, "line_clients.py")
# From Linux's sched.h.
CLONE_NEWNET = 0x40000000


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def obstacle():
    """The reason why this machine can't make a network link. None if it can."""
    for tool in ("ip", "tc", "nft"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    try:
        with Line("1mbit") as line:
            line.lose(0)
            return None
    except OSError as problem:
        return str(problem)


class Line:
    """`with Line("256kbit") as line`: a network link with this rate in each direction. `None` means no limit.

    With `buffer_bytes`, a router in the middle buffers this much before it drops packets, as cheap routers do."""

    def __init__(self, rate=None, buffer_bytes=None):
        self.rate, self.buffer_bytes = rate, buffer_bytes
        name = f"canvas-{os.getpid()}-{time.monotonic_ns() % 10**6}"
        self.near, self.far, self.middle = f"{name}-near", f"{name}-far", f"{name}-middle"
        self.address = "10.211.1.1"

    def __enter__(self):
        try:
            self.build()
        except OSError:
            self.__exit__()
            raise
        return self

    def build(self):
        run("ip", "netns", "add", self.near)
        run("ip", "netns", "add", self.far)
        run("ip", "-n", self.near, "link", "set", "lo", "up")
        if self.buffer_bytes is None:
            self.connect(self.near, "10.211.1.1/24", self.far, "10.211.1.2/24", 65_536)
            return
        run("ip", "netns", "add", self.middle)
        self.connect(self.near, "10.211.1.1/24", self.middle, "10.211.1.2/24", None)
        self.connect(self.middle, "10.211.2.1/24", self.far, "10.211.2.2/24", self.buffer_bytes)
        run("ip", "netns", "exec", self.middle, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        run("ip", "-n", self.near, "route", "add", "10.211.2.0/24", "via", "10.211.1.2")
        run("ip", "-n", self.far, "route", "add", "10.211.1.0/24", "via", "10.211.2.1")

    def connect(self, one, its_address, other, others_address, buffer_bytes):
        """Adds a cable. With `buffer_bytes` the cable has the line's rate, and each end buffers at most this many bytes."""
        ends = (f"{one[-1]}{other[-1]}0", f"{one[-1]}{other[-1]}1")
        run("ip", "link", "add", ends[0], "netns", one, "type", "veth", "peer", "name", ends[1], "netns", other)
        for space, end, address in ((one, ends[0], its_address), (other, ends[1], others_address)):
            run("ip", "-n", space, "address", "add", address, "dev", end)
            # Without this, the end gets an IPv6 address a second later, and Chromium drops what it is just loading.
            run("ip", "-n", space, "link", "set", end, "addrgenmode", "none")
            run("ip", "-n", space, "link", "set", end, "up")
            if self.rate and buffer_bytes:
                run("tc", "-n", space, "qdisc", "add", "dev", end, "root", "tbf", "rate", self.rate,
                    "burst", "5kb", "limit", buffer_bytes)

    def __exit__(self, *_):
        for space in (self.near, self.far, self.middle):
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)

    def lose(self, percent):
        """Loses this percentage of packets in each direction: all by 100, which neither end notices."""
        self.filter("drop" if percent == 100 else f"numgen random mod 100 < {percent} drop" if percent else None)

    def forget(self):
        """Drops all packets of the current connections, like a router that has forgotten them."""
        text = run("ip", "netns", "exec", self.near, "ss", "-tnH", "state", "connected", "sport", "=", ":8080")
        ports = ", ".join(re.findall(r"10\.211\.\d+\.\d+\]?:(?!8080\b)(\d+)\s", text))
        assert ports, f"there is no connection to forget: {text}"
        self.filter(f"tcp sport {{ {ports} }} drop", f"tcp dport {{ {ports} }} drop")

    def filter(self, *rules):
        """Sets the rules, in nft's language, for packets that each end drops when they arrive over the link. Without
        rules, nothing is dropped. Packets within an end are never dropped."""
        commands = ["add table inet line", "add chain inet line arriving { type filter hook input priority 0; }", "flush chain inet line arriving"]
        commands += [f'add rule inet line arriving iifname != "lo" {rule}' for rule in rules if rule]
        for space in (self.near, self.far):
            run("ip", "netns", "exec", space, "nft", "; ".join(commands))

    @property
    def far_end(self):
        """The network device at the far end."""
        (end,) = re.findall(r"(\S+)@", run("ip", "-n", self.far, "-o", "link", "show", "type", "veth"))
        return end

    @contextlib.contextmanager
    def thin_way_back(self, rate):
        """Within `with`, the far end sends at most at this rate."""
        device = ("dev", self.far_end, "root")
        run("tc", "-n", self.far, "qdisc", "add", *device, "tbf", "rate", rate, "burst", "5kb", "limit", 1_000_000)
        try:
            yield
        finally:
            run("tc", "-n", self.far, "qdisc", "delete", *device)

    def move(self):
        """Gives the far end another address, as a phone gets one outside of the house. Returns the new address."""
        end = self.far_end
        old = int(re.search(r"10\.211\.1\.(\d+)/", run("ip", "-n", self.far, "-o", "-4", "address", "show", "dev", end))[1])
        run("ip", "-n", self.far, "address", "delete", f"10.211.1.{old}/24", "dev", end)
        run("ip", "-n", self.far, "address", "add", f"10.211.1.{old + 1}/24", "dev", end)
        return f"10.211.1.{old + 1}"

    def has_connection(self, address):
        """Whether the server has a connection from that address."""
        text = run("ip", "netns", "exec", self.near, "ss", "-tnH", "state", "established", "sport", "=", ":8080")
        return re.search(rf"\b{re.escape(address)}\]?:\d", text) is not None

    @contextlib.contextmanager
    def inside(self, space):
        """Within `with`, new sockets of this thread are in that network namespace."""
        with open("/proc/thread-self/ns/net", "rb") as home, open(f"/var/run/netns/{space}", "rb") as there:
            enter(there)
            try:
                yield
            finally:
                enter(home)

    def start(self, space, *command, **options):
        return subprocess.Popen(["ip", "netns", "exec", space, *map(str, command)], **options)

    def start_client(self, space, *words):
        return self.start(space, sys.executable, CLIENTS, *words, stdout=subprocess.PIPE, text=True)

    def serve(self, *flags):
        """Starts a server at the near end."""
        return NearServer(self, *flags)

    def carried(self):
        """How many bytes have arrived at the far end."""
        return int(run("ip", "netns", "exec", self.far, "cat", f"/sys/class/net/{self.far_end}/statistics/rx_bytes"))

    def sockets(self):
        """How many bytes the kernel buffers for each of the server's connections over the link."""
        text = run("ip", "netns", "exec", self.near, "ss", "-tmnH", "state", "established", "sport", "=", ":8080")
        held = []
        for peer, memory in re.findall(r"(\S+)\s*\n\s*skmem:\(([^)]*)\)", text):
            if peer.startswith(("10.211.", "[::ffff:10.211.")):
                figures = dict(re.findall(r"([a-z]+)(\d+)", memory))
                held.append(int(figures["r"]) + int(figures["w"]) + int(figures["f"]))
        return held


class NearServer(servers.Server):
    """A server at the near end of a link. The test's own requests to it are made from there."""

    def __init__(self, line, *flags):
        super().__init__("--host", "0.0.0.0", "--open", *flags)
        self.line, self.port = line, 8080

    def command(self):
        return ["ip", "netns", "exec", self.line.near, *super().command()]

    def url(self, path):
        return f"http://{self.line.address}:{self.port}{path}"

    def socket(self, room):
        return f"ws://{self.line.address}:{self.port}/v1/rooms/{room}/sync"

    def here(self):
        return self.line.inside(self.line.near)

    def _http(self, *request):
        with self.here():
            return super()._http(*request)

    def watcher(self, room):
        return Watcher(self.line, self.socket(room))


def enter(file):
    """Moves this thread into a network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Proxy(Nginx):
    """nginx with the files of deploy/, at the near end, between the link and a server."""

    def __init__(self, line):
        super().__init__()
        self.line = line

    def start(self, *command):
        return self.line.start(self.line.near, *command)

    def site(self):
        with open(os.path.join(servers.ROOT, "deploy", "nginx-plain.conf"), encoding="utf-8") as file:
            text = file.read().replace("listen 8080;", f"listen {self.port};")
        return "upstream canvas_nodes { server 127.0.0.1:8080; }\n" + text


class Watcher:
    """A client at the near end of a line that records all that it is sent about others."""

    def __init__(self, line, url):
        self.line, self.url, self.here, self.most, self.state = line, url, {}, 0, {}

    def __enter__(self):
        with self.line.inside(self.line.near):
            self.opening = connect(self.url, subprotocols=["canvas.v1.json"], max_size=None)
            self.socket = self.opening.__enter__()
        self.socket.send(json.dumps({"type": "hello", "name": "Watcher"}))
        threading.Thread(target=self.listen, daemon=True).start()
        return self

    def __exit__(self, *what):
        self.opening.__exit__(*what)

    def listen(self):
        # The connection can break before the close frame arrives.
        with contextlib.suppress(ConnectionClosed):
            for content in self.socket:
                self.take(json.loads(content))

    def take(self, message):
        kind = message["type"]
        if kind == "welcome":
            self.here = {peer["actor"]: peer["name"] for peer in message["peers"]}
        elif kind == "join":
            self.here[message["peer"]["actor"]] = message["peer"]["name"]
        elif kind == "leave":
            self.here.pop(message["actor"])
        elif kind == "presence":
            self.state = message["peers"][-1]["state"]
        self.most = max(self.most, list(self.here.values()).count("Ann"))

    def saw_one_ann(self):
        return self.most == 1 and list(self.here.values()) == ["Ann"]


def ages(rate, encoding, writers=20, shapes=20, moves=60, seconds=8, buffer_bytes=None, readers=1, cursors=0, proxied=False):
    """How old a reader's drawing is at the far end of a link while others write, in milliseconds. `memory` is the
    most that the kernel buffered for one reader. `near` has the same figures for a reader at the near end, which
    show how busy the machine is. If `proxied`, nginx is between the server and the link."""
    with contextlib.ExitStack() as stack:
        line = stack.enter_context(Line(rate, buffer_bytes))
        process = stack.enter_context(line.serve()).process
        port = stack.enter_context(Proxy(line)).port if proxied else 8080
        writing = line.start_client(
            line.near, "write", "127.0.0.1:8080", "busy", writers, shapes, moves, int(seconds) + 6, cursors)
        time.sleep(1)
        before = processor_seconds(process.pid)
        reading = [
            line.start_client(line.far, "read", f"{line.address}:{port}", "busy", encoding, seconds) for _ in range(readers)
        ]
        near = line.start_client(line.near, "read", "127.0.0.1:8080", "busy", "json", seconds)
        held = 0
        while any(reader.poll() is None for reader in reading):
            held = max([held, *line.sockets()])
            time.sleep(0.2)
        figures = [json.loads(reader.communicate()[0]) for reader in reading]
        figures_near = json.loads(near.communicate()[0])
        cpu = processor_seconds(process.pid) - before
        writing.kill()
        writing.communicate()
    worst = max(figures, key=lambda one: one["ageP99"])
    return worst | {"memory": held, "cpuSeconds": cpu, "near": figures_near}


def hanging(rate, readers, seconds=12):
    """The memory that the server needs for each of several readers behind one link, in bytes: `kernel`, the most
    that the kernel buffered for one; `kernelMean`; and `process`, the growth of the server's memory per reader."""
    with Line(rate) as line, line.serve("--max-connections-per-address", 1_000) as server:
        writing = line.start_client(line.near, "write", "127.0.0.1:8080", "busy", 20, 20, 60, seconds + 8, 0)
        time.sleep(3)
        before = servers.resident(server.process)
        reading = line.start_client(line.far, "hang", f"{line.address}:8080", "busy", readers, seconds)
        held, most = [], 0
        while reading.poll() is None:
            now = line.sockets()
            # The test measures only while all readers are connected.
            if len(now) >= readers:
                held.append(sum(now) / len(now))
                most = max([most, *now])
                after = servers.resident(server.process)
            time.sleep(0.2)
        assert reading.returncode == 0 and held, "not all of them stayed"
        writing.kill()
        writing.communicate()
    return {"kernel": most, "kernelMean": max(held), "process": (after - before) / readers}


def joining(rate, shapes=10_000):
    """How long it takes to join a room over a link: `{encoding: figures}`. `bytes` is what the link carried."""
    figures = {}
    with Line(rate) as line, line.serve("--max-ops-per-second", 1_000_000):
        filling = line.start_client(line.near, "fill", "127.0.0.1:8080", "full", shapes)
        assert filling.wait(120) == 0
        for encoding in ("json", "binary"):
            before = line.carried()
            client = line.start_client(line.far, "join", f"{line.address}:8080", "full", encoding)
            figures[encoding] = json.loads(client.communicate()[0]) | {"bytes": line.carried() - before}
    return figures
