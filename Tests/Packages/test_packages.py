"""The Debian packages: what they contain, and what they leave on a machine when they are installed, upgraded, removed
and purged."""

import asyncio
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request

import pytest

import server as process
from machine import SECONDS, Machine, make_older, output
from ports import free_port
from server import ROOT, Lines, Server
from tree import VERSION, content

SERVER, CLIENT = "canvas-sync", "canvas-sync-client"
PROGRAMS = {SERVER: "SyncServer", CLIENT: "sync-client"}


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """Makes packages of the programs under test. Returns their paths by name."""
    shutil.which("dh") or pytest.skip("debhelper is not here")
    folder = tmp_path_factory.mktemp("release")
    output(f"{ROOT}/scripts/release", "--programs", os.path.dirname(process.BINARY), "--out", folder)
    return {os.path.basename(path).partition("_")[0]: path for path in glob.glob(f"{folder}/*.deb")}


@pytest.fixture(scope="session")
def older(packages, tmp_path_factory):
    return make_older(packages[SERVER], tmp_path_factory.mktemp("older"))


class Service:
    """The installed server, started as its systemd unit says: its user, variables and settings, until it is ready."""

    def __init__(self, machine, port):
        text = content("deploy", "canvas-sync.service")
        user, start = re.search(r"^User=(.*)$", text, re.M)[1], re.search(r"^ExecStart=(.*)$", text, re.M)[1]
        machine.run("install", "-d", "-m", "700", "-o", user, "-g", user, "/var/lib/canvas-sync")
        variables = re.search(r"^Environment=(.*)$", text, re.M)[1].replace("%S", "/var/lib").split()
        variables += [line for line in machine.run("cat", "/etc/canvas-sync.conf").splitlines() if line and not line.startswith("#")]
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._manager.settimeout(SECONDS)
        # An abstract socket has no file, so every mount namespace can reach it.
        name = f"canvas-packages-{os.getpid()}-{port}"
        self._manager.bind("\0" + name)
        self.port = port
        environment = dict(word.split("=", 1) for word in variables) | {
            "NOTIFY_SOCKET": f"@{name}", "CANVAS_PORT": str(port), "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen(machine.command(*start.split(), user=user), env=environment, stderr=subprocess.PIPE)
        self.output = Lines(self.process.stderr)

    def told(self):
        try:
            return self._manager.recv(256).decode()
        except TimeoutError:
            return f"nothing in {SECONDS} s, but logged {self.output.so_far()}"

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=SECONDS) as answer:
            return answer.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait(SECONDS)
        self._manager.close()


def test_there_is_a_package_of_each_program(packages):
    """Each package has its manual and completions for three shells."""
    assert sorted(packages) == [SERVER, CLIENT]
    for name, path in packages.items():
        program = PROGRAMS[name]
        files = re.findall(r"^-\S+ \S+ +\d+ \S+ \S+ \.(/.*)$", output("dpkg-deb", "--contents", path), re.M)
        assert output("dpkg-deb", "--field", path, "Version").strip() == VERSION
        for file in [
            f"/usr/bin/{program}", f"/usr/share/man/man1/{program}.1.gz", f"/usr/share/bash-completion/completions/{program}",
            f"/usr/share/zsh/vendor-completions/_{program}", f"/usr/share/fish/vendor_completions.d/{program}.fish",
            f"/usr/share/doc/{name}/copyright",
        ]:
            assert file in files, file
        # libwebsockets loads its libuv plug-in at run time, so the dependency can't be found in the program's header.
        assert "libwebsockets-evlib-uv" in output("dpkg-deb", "--field", path, "Depends")
    assert "/lib/systemd/system/canvas-sync.service" in (files := output("dpkg-deb", "--contents", packages[SERVER]))
    assert "/usr/share/canvas-sync/page/core.wasm.br" in files and ".bundled" not in files


def test_lintian_has_no_complaint(packages):
    shutil.which("lintian") or pytest.skip("lintian is not here")
    # Programs that are built for tests load Swift's libraries from the toolchain. lintian would report that, so this
    # test suppresses the tag for it. scripts/release suppresses nothing.
    done = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--suppress-tags", "custom-library-search-path", *packages.values()],
        capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def machine(tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can make a file system to install on")
    with Machine(str(tmp_path)) as machine:
        yield machine


def test_installed_used_upgraded_removed_and_purged(packages, older, machine):
    """Rooms and settings survive an upgrade and a removal. A purge leaves nothing but the user."""
    for name, path in [("older", older), *packages.items()]:
        machine.put(f"/{name}.deb", path)
    assert not machine.has("/usr/bin/SyncServer")
    machine.run("dpkg", "--install", "/older.deb")
    number, shell = machine.run("getent", "passwd", "canvas-sync").strip().split(":")[2::4]
    assert 0 < int(number) < 1_000 and shell.endswith("nologin")
    # The operator's settings take precedence over the systemd unit.
    machine.run("sh", "-c", "echo CANVAS_MAX_SHAPES=2 >> /etc/canvas-sync.conf")
    with Service(machine, free_port()) as service:
        assert service.told() == "READY=1"
        machine.run("dpkg", "--install", f"/{CLIENT}.deb")
        client = ["sync-client", "--server", f"ws://127.0.0.1:{service.port}"]
        for number in range(2):
            machine.run(*client, "add", "kept", "rectangle", f"name=Sun{number}")
        assert machine.run(*client, "add", "kept", "rectangle", check=False).returncode == 1
        assert b"<html" in service.get("/")
        service.process.send_signal(signal.SIGTERM)
        assert service.told() == "STOPPING=1"
        assert service.process.wait(SECONDS) == 0

    # With these options, dpkg asks no questions, and keeps settings that an operator has changed.
    machine.run("dpkg", "--install", "--force-confdef", "--force-confold", f"/{SERVER}.deb")
    assert machine.run("dpkg-query", "-W", "-f", "${Version}", SERVER) == VERSION
    assert "CANVAS_MAX_SHAPES=2\n" in machine.run("cat", "/etc/canvas-sync.conf")
    assert machine.has("/etc/canvas-sync.conf.dpkg-dist")
    with Service(machine, free_port()) as service:
        assert service.told() == "READY=1"
        assert "Sun" in machine.run("sync-client", "--server", f"ws://127.0.0.1:{service.port}", "show", "kept")

    machine.run("dpkg", "--remove", SERVER, CLIENT)
    assert not machine.has("/usr/bin/SyncServer") and not machine.has("/usr/bin/sync-client")
    assert machine.has("/var/lib/canvas-sync/canvas.db") and machine.has("/etc/canvas-sync.conf")
    machine.run("dpkg", "--purge", SERVER)
    assert machine.run("find", "/etc", "/usr/bin", "/usr/share", "/lib/systemd", "/var/lib", "-name", "*canvas-sync*", "-o", "-name", "*SyncServer*") == ""


async def test_a_service_manager_is_told_and_sighup_ends_no_service(tmp_path):
    """By a socket in a folder, like systemd's. Without tokens, SIGHUP has no effect."""
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(SECONDS)
        with Server(environment={"NOTIFY_SOCKET": path}) as server:
            assert manager.recv(256) == b"READY=1"
            server.process.send_signal(signal.SIGHUP)
            assert (await server.get("/readyz")).status == 200
            server.process.send_signal(signal.SIGTERM)
            assert manager.recv(256) == b"STOPPING=1"
            assert await asyncio.to_thread(server.process.wait, SECONDS) == 0


@pytest.mark.parametrize("name", PROGRAMS.values())
def test_the_manual_has_every_word_of_the_help(name, tmp_path):
    """The man program accepts the format of the manual too."""
    program = os.path.join(os.path.dirname(process.BINARY), name)
    page = tmp_path / f"{name}.1"
    page.write_text(output(program, "--manual"))
    shown = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", page], capture_output=True, text=True, timeout=SECONDS,
        env=os.environ | {"MANWIDTH": "500", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert shown.returncode == 0 and shown.stderr == "", shown.stderr
    text = output(program, "--help")
    if name == "sync-client":
        commands = re.findall(r"^  ([a-z]+) .*  ", text, re.M)
        assert len(commands) > 20
        text += "".join(output(program, command, "--help") for command in commands)
        assert all(re.search(rf"^   {command}\b", shown.stdout, re.M) for command in commands)
    flags = set(re.findall(r"(?<![\w-])--[a-z-]+", text))
    assert len(flags) > 20
    assert [flag for flag in sorted(flags) if not re.search(rf"{flag}\b", shown.stdout)] == []


COMPLETIONS = [
    ("sync-client", ["wat"], ["watch"]),
    ("sync-client", ["--json", "watch", "demo", "--fo"], ["--for"]),
    ("sync-client", ["add", "demo", "--patie"], ["--patience"]),
    ("SyncServer", ["--max-shap"], ["--max-shapes"]),
    ("SyncServer", ["log", "ba"], ["backup"]),
    ("SyncServer", ["log", "repair", "--c"], ["--cut"]),
    # There is nothing to suggest for the value of `--port`.
    ("SyncServer", ["--port", ""], []),
]


def completion(name, shell):
    return output(os.path.join(os.path.dirname(process.BINARY), name), "--completion", shell)


@pytest.mark.parametrize("name, words, wanted", COMPLETIONS)
def test_bash_completes(name, words, wanted):
    line = " ".join(f"'{word}'" for word in [name, *words])
    script = completion(name, "bash") + f"COMP_WORDS=({line}) COMP_CWORD={len(words)}; _{name.replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    assert output("bash", "--norc", "-euc", script).split() == wanted


@pytest.mark.parametrize("name, words, wanted", COMPLETIONS)
def test_fish_completes(name, words, wanted, tmp_path):
    shutil.which("fish") or pytest.skip("fish is not here")
    (tmp_path / "completion").write_text(completion(name, "fish"))
    script = f"source {tmp_path}/completion; complete -C '{name} {' '.join(words)}'"
    said = output("fish", "--no-config", "-c", script, cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)})
    assert [line.partition("\t")[0] for line in said.splitlines()] == wanted


@pytest.mark.parametrize("name", PROGRAMS.values())
def test_zsh_takes_the_completion(name, tmp_path):
    """zsh's completion functions run only in its line editor. Here they are replaced by functions that print their
    arguments."""
    shutil.which("zsh") or pytest.skip("zsh is not here")
    (tmp_path / "completion").write_text(completion(name, "zsh"))
    for words, wanted in [(words, wanted) for each, words, wanted in COMPLETIONS if each == name and wanted]:
        line = " ".join(f"'{word}'" for word in [name, *words])
        script = f"""
            _describe() {{ local -a given; given=("${{(@P)argv[-1]}}"); print -l -- "${{given[@]}}" }}
            _files() {{ : }}
            words=({line}) CURRENT={len(words) + 1}; source {tmp_path}/completion
        """
        offered = [offer.partition(":")[0] for offer in output("zsh", "-fc", script).splitlines()]
        assert [offer for offer in offered if offer.startswith(words[-1])] == wanted


def test_an_archive_knows_its_commit(tmp_path):
    """`git archive` writes the commit where a build without git finds it."""
    if not os.path.exists(os.path.join(ROOT, ".git")):
        pytest.skip("this is no clone")
    commit = output("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    archive = tmp_path / "archive.tar"
    output("git", "-C", ROOT, "archive", "--output", archive, "HEAD", "Sources/CRelease")
    output("tar", "--extract", "--file", archive, "--directory", tmp_path)
    (tmp_path / "main.c").write_text('#include <stdio.h>\n#include "release.h"\nint main(void) { puts(canvas_commit()); }\n')
    sources = tmp_path / "Sources/CRelease"
    for define, wanted in [([], commit), (['-DCANVAS_COMMIT="0123abc"'], "0123abc")]:
        output("gcc", *define, "-I", sources / "include", tmp_path / "main.c", sources / "commit.c", "-o", tmp_path / "main")
        assert output(tmp_path / "main").strip() == wanted


def test_the_bill_of_materials_has_all_that_is_linked(tmp_path):
    """The bill of materials is in SPDX 2.3. Each entry has a license, and each relation is between two entries."""
    bill = json.loads(output(
        f"{ROOT}/scripts/sbom", "--version", VERSION, "--commit", "0123abc", os.path.dirname(process.BINARY),
        env=os.environ | {"SOURCE_DATE_EPOCH": "0"}))
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["creationInfo"]["created"] == "1970-01-01T00:00:00Z"
    names = {package["SPDXID"]: package["name"] for package in bill["packages"]}
    ids = {*names, "SPDXRef-DOCUMENT"}
    assert len(names) == len(bill["packages"]) and all(package["versionInfo"] and package["licenseDeclared"] for package in bill["packages"])
    assert all({relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids for relation in bill["relationships"])
    related = {
        (names.get(relation["spdxElementId"]), relation["relationshipType"], names.get(relation["relatedSpdxElement"]))
        for relation in bill["relationships"]}
    for program, packages in {"SyncServer": ["libwebsockets17", "libuv1", "libsqlite3-0", "libssl3", "zlib1g", "libbrotli1", "libc6"],
                              "sync-client": ["libwebsockets17", "libuv1", "libssl3", "zlib1g", "libc6"]}.items():
        assert (None, "DESCRIBES", program) in related
        assert {package for one, kind, package in related if one == program and kind == "DYNAMIC_LINK"} >= set(packages), program
    assert {("libpq5", "OPTIONAL_COMPONENT_OF", "SyncServer"), ("page", "STATIC_LINK", "wasi-libc")} <= related
