"""Checks that the files in deploy/ fit the server."""

import asyncio
import contextlib
import importlib.machinery
import importlib.util
import os
import re
import shutil
import signal
import subprocess

import pytest

import server as process
from server import run, tool
from tree import VERSION, content


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(process.ROOT, "scripts", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def image():
    """The module scripts/image, which lists the Debian packages of the image and how the image is started."""
    return script("image")


async def test_the_image_has_what_the_server_is_linked_with_and_loads(image):
    control = content("deploy", "debian", "control").partition("\nPackage: canvas-sync-client\n")[0]
    loaded = set(re.findall(r"\blib[a-z0-9-]+", " ".join(re.findall(r"^(?:Depends|Suggests): (.*)$", control, re.M))))
    assert loaded == {"libwebsockets-evlib-uv", "libjwt0", "libpq5"} and loaded <= set(image.DEBIAN)
    if not (shutil.which("readelf") and shutil.which("dpkg-query")):
        pytest.skip("no readelf or no dpkg here to tell what the program is linked with")
    # Swift's libraries are left out, because the deployed program has them linked in.
    linked, _ = script("sbom").linked(process.BINARY)
    assert len(linked) > 5 and set(linked) <= set(image.DEBIAN)


async def test_flags_and_variables_are_the_servers(shared):
    """All flags and variables in deploy/ and docs/OPERATING.md exist. The table in docs/OPERATING.md has all limits."""
    _, out, _ = await asyncio.to_thread(run, "--help")
    _, commands, _ = await asyncio.to_thread(run, "log", "--help")
    flags = set(re.findall(r"--[a-z-]+", out + commands))
    variables = {"CANVAS_" + flag[2:].upper().replace("-", "_") for flag in flags}
    operating = content("docs", "OPERATING.md")
    for name in sorted(os.listdir(os.path.join(process.ROOT, "deploy"))):
        if not os.path.isfile(os.path.join(process.ROOT, "deploy", name)):
            continue
        text = content("deploy", name)
        for variable in re.findall(r"CANVAS_[A-Z_]+", text):
            assert variable in variables, (name, variable)
        for line in re.findall(r"^ExecStart=.*|`--.*|SyncServer (?:log|--).*", text, re.M):
            said = re.findall(r"(?<![\w-])--[a-z-]+", line)
            assert set(said) <= flags, (name, line)
    for flag in re.findall(r"`(--[a-z-]+)", operating):
        assert flag in flags, flag
    table = operating.partition("\n## Limits\n")[2].partition("\n## ")[0]
    limits = re.findall(r"^  (--[a-z-]+) N ", out, re.M)
    assert len(limits) > 30
    assert [flag for flag in limits if f"`{flag}`" not in table] == []


async def test_the_unit_is_one_that_systemd_takes(tmp_path):
    """systemd accepts the unit, alone and with the drop-in for PostgreSQL."""
    verify = tool("systemd-analyze") or pytest.skip("systemd-analyze is not here")
    unit, path = content("deploy", "canvas-sync.service"), tmp_path / "canvas-sync.service"
    assert "\nExecStart=/usr/bin/SyncServer\n" in unit
    # systemd requires that the program exists, so the unit gets the path of the program under test.
    unit = unit.replace("/usr/bin/SyncServer", process.BINARY)

    def check(unit):
        path.write_text(unit)
        done = subprocess.run([verify, "verify", "--man=no", path], capture_output=True, text=True, timeout=60)
        return done.returncode, [line for line in done.stderr.splitlines() if "canvas-sync" in line]

    assert await asyncio.to_thread(check, unit) == (0, [])
    (tmp_path / "canvas-sync.service.d").mkdir()
    (tmp_path / "canvas-sync.service.d/nodes.conf").write_text(content("deploy", "nodes.conf"))
    assert await asyncio.to_thread(check, unit) == (0, [])
    code, said = await asyncio.to_thread(check, unit + "\n[Service]\nProtectSytem=strict\n")
    assert said and "ProtectSytem" in said[0], "it does find what is wrong"


def database_script(folder, programs):
    """The script that starts a database's container, with these programs for etcd and Patroni, and own paths."""
    for program, does in programs.items():
        (folder / program).write_text(f"#!/bin/sh\n{does}\n")
        (folder / program).chmod(0o755)
    (folder / "first.yml").write_text(content("deploy", "patroni.yml"))
    shutil.copy(os.path.join(process.ROOT, "deploy", "certificates"), folder)
    script = content("deploy", "database").replace("/tmp/", f"{folder}/own-")
    return script.replace("/etc/patroni/first.yml", f"{folder}/first.yml").replace("/var/lib/postgresql", f"{folder}/home")


async def test_a_databases_container_that_is_told_to_stop_stops_patroni_before_etcd(tmp_path):
    """etcd has to keep running until Patroni has stopped, because Patroni hands its leadership over through etcd."""
    until_told = "trap 'echo $(basename $0) stopped; exit' TERM; echo $(basename $0) runs; while :; do sleep 0.05; done"
    script = database_script(tmp_path, {"etcd": until_told, "patroni": until_told})
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NAME": "database1", "ADDRESS": "10.0.0.21", "DATABASES": "database1=10.0.0.21"}
    running = subprocess.Popen(
        ["bash", "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        assert {running.stdout.readline() for _ in range(2)} == {"etcd runs\n", "patroni runs\n"}
        running.terminate()
        said, _ = running.communicate(timeout=20)
        assert (said, running.returncode) == ("patroni stopped\netcd stopped\n", 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


async def test_the_files_for_several_nodes_name_the_same_machines(shared, tmp_path):
    compose, patroni, balancer = (content("deploy", name) for name in ("compose-nodes.yaml", "patroni.yml", "nginx-nodes.conf"))
    nodes = re.findall(r"^  server (10\.0\.0\.\d+):8080 ", balancer, re.M)
    databases = re.search(r"^  hosts: (.*)$", patroni, re.M)[1].replace(":2379", "").split(",")
    assert len(nodes) == len(databases) == 3
    assert re.findall(r"ipv4_address: (\S+) ", compose) == [re.search(r'CANVAS_PROXIES: "(.*)"', compose)[1], *nodes, *databases]
    assert f"@{','.join(databases)}/" in compose and f"@{','.join(databases)}/" in content("deploy", "nodes.conf")
    names = dict(re.findall(r"NAME: (\S+), ADDRESS: (\S+) ", compose))
    everybody = re.search(r'DATABASES: "(.*)"', compose)[1]
    assert everybody == ",".join(f"{name}={address}" for name, address in names.items())
    for source in re.findall(r"(?:- \./|^COPY (?:--chmod=\d+ )?|dockerfile: (?=D))(\S+?)[: \n]", compose + content("deploy", "Dockerfile.database"), re.M):
        assert os.path.exists(os.path.join(process.ROOT, "deploy", source)), source
    script = database_script(tmp_path, {"etcd": f'echo "$*" >&2; touch {tmp_path}/$NAME-told; exec sleep 1', "patroni": f'until [ -e {tmp_path}/$NAME-told ]; do sleep 0.01; done; cat "$1"'})
    for name, address in names.items():
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NAME": name, "ADDRESS": address, "DATABASES": everybody}
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=20)
        assert re.findall(r"^name: (.*)$", done.stdout, re.M) == [name], done
        assert re.findall(r"^  (?:listen|connect_address): (.*):\d+$", done.stdout, re.M) == [address] * 4
        assert f"hosts: {':2379,'.join(databases)}:2379\n" in done.stdout
        for kind in ("crt", "key"):
            (place,) = re.findall(rf"^    ssl_(?:cert|key)_file: (\S+\.{kind})$", done.stdout, re.M)
            assert os.stat(place).st_mode & 0o077 == 0, place
        peers = ",".join(f"{one}=http://{there}:2380" for one, there in names.items())
        assert f"--name {name} " in done.stderr and f"--initial-cluster {peers} " in done.stderr, done.stderr


def test_a_container_believes_only_the_proxy_of_its_host():
    """A client that is in a trusted network could claim any address."""
    compose = content("deploy", "compose.yaml")
    assert re.search(r'CANVAS_PROXIES: "(.*)"', compose)[1] == re.search(r"gateway: (\S+)", compose)[1]


async def test_the_image_is_the_one_that_the_files_for_containers_start(image):
    compose = content("deploy", "compose.yaml")
    for text in (compose, content("deploy", "compose-nodes.yaml")):
        assert re.findall(r"^ +image: localhost/(.*)$", text, re.M) == [f"canvas-sync:{VERSION}"]
        assert f"canvas-sync-{VERSION}-image.tar" in text
    (port,), (volume,) = ([*image.CONFIGURATION[name]] for name in ("ExposedPorts", "Volumes"))
    port = port.removesuffix("/tcp")
    assert f':{port}"' in compose and image.CONFIGURATION["Healthcheck"]["Test"][-1] == f"http://127.0.0.1:{port}/readyz"
    for name in ("nginx.conf", "Caddyfile"):
        assert f"127.0.0.1:{port}" in content("deploy", name)
    assert f"- rooms:{volume}\n" in compose and f"CANVAS_DATA={volume}" in image.CONFIGURATION["Env"]
