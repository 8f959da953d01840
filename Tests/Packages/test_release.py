"""A release made by scripts/release from a clean clone: two builds are identical, it is installed in a fresh Debian
under systemd, and it runs in a container. This takes minutes, so `make soak` runs it."""

import json
import os
import shutil
import subprocess
import tarfile

import pytest

from machine import SECONDS, make_older, output
from ports import free_port
from server import ROOT, Lines
from waiting import eventually

pytestmark = pytest.mark.skipif("CANVAS_SOAK" not in os.environ, reason="takes minutes: CANVAS_SOAK=1")
# The time for a full build while other tests run.
BUILD_SECONDS = 3_600


@pytest.fixture(scope="session")
def releases(tmp_path_factory):
    """The folders of two releases of the same commit, each built in its own clone."""
    folders = []
    for name in ("one", "another"):
        clone = tmp_path_factory.mktemp(name) / "clone"
        output("git", "clone", "--quiet", ROOT, clone)
        output(clone / "scripts/release", seconds=BUILD_SECONDS)
        folders.append(clone / "build/release")
        # The build folder takes gigabytes.
        shutil.rmtree(clone / ".build", ignore_errors=True)
    return folders


def file(folder, ending):
    (path,) = [path for path in folder.iterdir() if path.name.endswith(ending)]
    return path


def test_the_same_commit_makes_the_same_bytes(releases):
    one, another = ((folder / "SHA256SUMS").read_text() for folder in releases)
    assert one == another and len(one.splitlines()) == 6
    output("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=releases[0])


def test_the_archive_of_programs_runs_elsewhere(releases, tmp_path):
    output("tar", "--extract", "--file", file(releases[0], "-x86_64.tar.gz"), "--directory", tmp_path)
    (folder,) = tmp_path.iterdir()
    commit = output("git", "-C", ROOT, "rev-parse", "--short=12", "HEAD").strip()
    for program in ("SyncServer", "sync-client"):
        assert output(folder / "usr/bin" / program, "--version").endswith(f"({commit})\n")


def test_a_fresh_debian_installs_runs_upgrades_and_removes_it(releases, tmp_path):
    """apt installs the package with its dependencies, under systemd. Tests/Packages/booted.sh has the steps."""
    (newer,) = releases[0].glob("canvas-sync_*.deb")
    older = make_older(newer, tmp_path)
    with open(tmp_path / "try.service", "w") as unit:
        # The unit starts when the server is ready, like any service that depends on the server.
        unit.write(
            "[Unit]\nAfter=canvas-sync.service\nSuccessAction=poweroff\nFailureAction=poweroff\n"
            "[Service]\nType=oneshot\nExecStart=/bin/bash /srv/booted.sh\n[Install]\nWantedBy=multi-user.target\n")
    output(
        "mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd,systemd-sysv,curl,procps",
        f"--customize-hook=upload {older} /srv/older.deb", f"--customize-hook=upload {newer} /srv/newer.deb",
        f"--customize-hook=upload {ROOT}/Tests/Packages/booted.sh /srv/booted.sh",
        f"--customize-hook=upload {tmp_path}/try.service /etc/systemd/system/try.service",
        '--customize-hook=chroot "$1" apt-get install --yes --no-install-recommends /srv/older.deb',
        '--customize-hook=chroot "$1" systemctl enable try', "bookworm", tmp_path / "root", seconds=BUILD_SECONDS)
    subprocess.run(
        ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--directory", tmp_path / "root", "--boot"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=BUILD_SECONDS)
    said, trace = ((tmp_path / "root/srv" / name).read_text() for name in ("said", "trace"))
    assert said.splitlines()[-1:] == ["it is gone"], said + trace[-2_000:]


async def test_the_image_runs_as_nobody_and_is_healthy(releases, tmp_path):
    """The image is small, has one layer, and its health check succeeds."""
    image = file(releases[0], "-image.tar")
    assert image.stat().st_size < 120 << 20
    with tarfile.open(image) as archive:
        (manifest,) = json.load(archive.extractfile("manifest.json"))
        configuration = json.load(archive.extractfile(manifest["Config"]))["config"]
    assert len(manifest["Layers"]) == 1 and configuration["User"] == "10001:10001"
    port = free_port()
    buildah = ["buildah", "--root", tmp_path / "store", "--runroot", tmp_path / "run", "--storage-driver", "vfs"]
    name = output(*buildah, "from", "--quiet", f"docker-archive:{image}").split()[-1]
    inside = [*buildah, "run", "--isolation", "chroot"]
    check = [word.replace("8080", str(port)) for word in configuration["Healthcheck"]["Test"][1:]]
    try:
        assert subprocess.run([*inside, name, "--", *check], capture_output=True, timeout=SECONDS).returncode != 0, "it isn't there yet"
        process = subprocess.Popen([*inside, "--env", f"CANVAS_PORT={port}", name, "--", *configuration["Entrypoint"]], stderr=subprocess.PIPE)
        try:
            lines = Lines(process.stderr)
            await eventually(lambda: any("listening" in line for line in lines.so_far()), "the server in the container listens")
            output(*inside, name, "--", *check)
            assert output(*inside, name, "--", "busybox", "id", "-u").strip() == "10001"
        finally:
            process.terminate()
            process.wait(SECONDS)
        # The image has the libraries that the server loads only for some options, with their dependencies.
        for library in ("libjwt.so.0", "libpq.so.5", "libwebsockets-evlib_uv.so"):
            path = f"/usr/lib/x86_64-linux-gnu/{library}"
            assert "not found" not in output(*inside, name, "--", "/lib64/ld-linux-x86-64.so.2", "--list", path), library
    finally:
        output(*buildah, "rm", name)
