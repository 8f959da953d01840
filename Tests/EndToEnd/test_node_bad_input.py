"""Databases that can't be used, at the start or later. Each fault is logged in one line that says what to do. If the
database may become usable, the server waits for it."""

import asyncio
import contextlib
import os
import shutil
import subprocess

import pytest
import websockets

import database
import postgres
import server as programs
from client import Client
from database import ask
from server import Server, identifier, run, tool
from test_nodes import draw, rectangle, taken
from waiting import SECONDS, eventually

pytestmark = database.needed
PASSWORD = "opensesame"


@pytest.fixture(scope="module")
def guarded():
    """A PostgreSQL server with its own certificate, which asks the user `ann` for a password."""
    with postgres.Cluster() as cluster:
        data = cluster.data(0)
        cluster.ask(0, f"CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'")
        cluster.ask(0, "GRANT CREATE ON DATABASE postgres TO ann")
        with open(f"{data}/pg_hba.conf", "r+", encoding="ascii") as file:
            rules = file.read()
            file.seek(0)
            file.write("host all ann all scram-sha-256\n" + rules)
        if tool("openssl"):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", "/CN=database", "-out", f"{data}/server.crt", "-keyout", f"{data}/server.key"],
                check=True, capture_output=True,
            )
            for name in ("server.crt", "server.key"):
                os.chmod(f"{data}/{name}", 0o600)
                if cluster.user:
                    os.chown(f"{data}/{name}", cluster.user.pw_uid, cluster.user.pw_gid)
            cluster.ask(0, "ALTER SYSTEM SET ssl = on")
        cluster.reload(0)
        yield cluster


def line(*flags, **variables):
    """Starts a server that must fail, and returns the one line that it prints."""
    code, out, said = run("--port", 0, *flags, environment=variables)
    assert code == 1 and out == "" and said.count("\n") == 1, (code, out, said)
    return said


@contextlib.contextmanager
def waiting(url, **variables):
    """Starts a server that waits for a database."""
    process = subprocess.Popen(
        [programs.BINARY, "--port", "0", "--data", url], stderr=subprocess.PIPE, text=True, env=os.environ | variables)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def of_ann(cluster, query=""):
    return f"postgresql://ann@127.0.0.1:{cluster.ports[0]}/postgres{query}"


def test_a_wrong_password_ends_the_server_in_one_line(guarded):
    """The password is never printed. The line for a missing password is similar."""
    said = line("--data", of_ann(guarded), PGPASSWORD="sesame-shut")
    assert "refuses the user or the password" in said and "PGPASSWORD" in said and "sesame-shut" not in said
    # Keeps libpq from finding the password file of the user who runs the tests.
    said = line("--data", of_ann(guarded), PGPASSFILE="/nonexistent")
    assert "refuses the user or the password" in said and "password file" in said
    code, _, said = run("--port", 0, "--data", f"postgresql://ann:{PASSWORD}@127.0.0.1:1/canvas")
    assert code == 64 and "PGPASSWORD" in said and PASSWORD not in said
    said = line(CANVAS_DATA=f"postgresql://ann:{PASSWORD}@127.0.0.1/%ZZ")
    assert "can't be read" in said and PASSWORD not in said


def test_a_password_comes_by_variable_by_file_or_in_the_url(guarded, tmp_path):
    passwords = tmp_path / "passwords"
    passwords.write_text(f"127.0.0.1:{guarded.ports[0]}:postgres:ann:{PASSWORD}\n", encoding="ascii")
    passwords.chmod(0o600)
    url = of_ann(guarded)
    with_password = url.replace("ann@", f"ann:{PASSWORD}@")
    for data, variables in [
        (url, {"PGPASSWORD": PASSWORD}), (url, {"PGPASSFILE": str(passwords)}), (None, {"CANVAS_DATA": with_password}),
    ]:
        flags = ["--port", "0"] + (["--data", data] if data else [])
        process = subprocess.Popen([programs.BINARY, *flags], stderr=subprocess.PIPE, text=True, env=os.environ | variables)
        try:
            said = process.stderr.readline()
            assert "listening" in said and PASSWORD not in said, said
            with open(f"/proc/{process.pid}/cmdline", encoding="utf-8") as file:
                assert PASSWORD not in file.read()
        finally:
            process.kill()
            process.wait()


def test_a_database_with_a_certificate_of_its_own_making_is_reached_by_sslmode_require(guarded, tmp_path):
    """The certificate is self-signed, so verify-full needs its path."""
    tool("openssl") or pytest.skip("openssl is not here")
    with Server(data=of_ann(guarded, "?sslmode=require"), environment={"PGPASSWORD": PASSWORD}) as server:
        assert guarded.ask(0, "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'ann'") == ["t"]
        assert server.runs
    root = shutil.copy(f"{guarded.data(0)}/server.crt", tmp_path / "root.crt")
    by_name = of_ann(guarded, f"?sslmode=verify-ca&sslrootcert={root}")
    with Server(data=by_name, environment={"PGPASSWORD": PASSWORD}):
        pass
    # The certificate is valid for the name `database`, and not for 127.0.0.1.
    with waiting(by_name.replace("verify-ca", "verify-full"), PGPASSWORD=PASSWORD) as process:
        said = process.stderr.readline()
        assert "waiting for the database" in said and "does not match host name" in said, said


def test_a_database_that_could_lose_what_it_acknowledges_is_refused(guarded):
    guarded.set(0, "fsync = off")
    try:
        said = line("--data", f"{guarded.address}/postgres")
        assert "fsync = off" in said and "set fsync = on" in said
    finally:
        guarded.reset(0, "fsync")


async def test_settings_that_turn_bad_later_are_noticed():
    """They are logged. If acknowledged edits could be lost, nothing is stored until they are corrected."""
    with postgres.Cluster() as cluster:
        # The setting names a standby that doesn't exist, for which commits would wait forever. The node checks the
        # setting when it connects.
        cluster.set(0, "synchronous_standby_names = 'nobody'")
        server = Server(data=f"{cluster.address}/postgres")
        async with database.waiting(server) as starting:
            await eventually(
                lambda: cluster.ask(0, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != ["0"],
                "a node that waits for its standby")
            cluster.reset(0, "synchronous_standby_names")
            await starting
            ann = await Client.join(server, "garden")

            async def says(*words):
                await eventually(lambda: any(all(word in str(entry) for word in words) for entry in server.log), " ".join(words))

            await says("the database needs a look", "waits for no standby any more")
            cluster.set(0, "full_page_writes = off")
            await says("the database needs a look", "full_page_writes = off")
            for setting in ("synchronous_commit = off", "fsync = off"):
                cluster.set(0, setting)
                await says("the log can't be written", setting)
                assert (await server.get("/readyz")).status == 503
                assert (await ann.write(rectangle(identifier())))["code"] == "unavailable"
                cluster.reset(0, setting.split()[0])
                await server.answers("/readyz")
            await draw(ann, rectangle(identifier()))


def test_a_machine_without_libpq_is_told_to_install_it(tmp_path):
    # An empty file hides the real libpq, and can't be loaded as a library.
    (tmp_path / "libpq.so.5").touch()
    said = line("--data", "postgresql://127.0.0.1:1/canvas", LD_LIBRARY_PATH=str(tmp_path))
    assert "install libpq5" in said


async def test_a_database_that_is_gone_at_the_start_is_waited_for():
    """The node logs once that it waits. It is alive but not ready, serves the page, and refuses clients that want a
    room. When the database comes, the node continues without help, and clients from before its restart can return."""
    with postgres.Cluster() as cluster, Server(data=f"{cluster.address}/postgres") as server:
        client = os.path.join(os.path.dirname(programs.BINARY), "sync-client")
        watching = subprocess.Popen(
            [client, "--server", f"http://127.0.0.1:{server.port}", "watch", "garden"], stdout=subprocess.PIPE, text=True)

        async def sees(name):
            await server.write("garden", name=name)
            while name not in await asyncio.to_thread(watching.stdout.readline):
                assert watching.poll() is None

        try:
            assert "0 shapes" in await asyncio.to_thread(watching.stdout.readline)
            await sees("Sun")
            server.kill()
            cluster.stop(0)
            async with database.waiting(server) as starting:
                (entry,) = await server.logged("waiting for the database")
                assert str(cluster.ports[0]) in entry["reason"]
                ready = await server.get("/readyz")
                assert ready.status == 503 and str(cluster.ports[0]) in ready.body.decode()
                metrics = await server.metrics()
                assert metrics["canvas_ready"] == 0 and metrics['canvas_log_connections{connection="writer"}'] == 0
                assert (await server.get("/page.json")).status == 200
                for method, path in [("GET", ""), ("GET", "/garden"), ("POST", "/garden/ops"), ("DELETE", "/garden"), ("PUT", "/garden/lock")]:
                    answer = await server.http(method, f"/v1/rooms{path}", {"ops": []} if method == "POST" else None)
                    assert (answer.status, answer.error, answer.headers["Retry-After"]) == (503, "unavailable", "1"), path
                with pytest.raises(websockets.InvalidStatus) as refusal:
                    await Client.join(server, "garden")
                assert refusal.value.response.status_code == 503 and refusal.value.response.headers["Retry-After"] == "1"
                cluster.start(0)
                await starting
                assert (await server.get("/readyz")).status == 200 and await server.metric("canvas_ready") == 1
                await sees("Moon")
                # Each node accepts the actor keys of the other nodes.
                with Server(data=server.data) as other:
                    ann = await Client.join(server, "garden")
                    assert len(ann.live) == 2
                    assert (await Client.join(other, "garden", actor=ann.actor, key=ann.welcome["key"])).actor == ann.actor
        finally:
            watching.kill()
            watching.wait()


async def test_a_limit_on_connections_that_is_reached_while_running_is_named(guarded):
    """Broken connections can't be opened again, because the database's limit on connections is reached. The log line
    names the limit to raise. Once the limit is raised, edits work again."""
    guarded.ask(0, "CREATE ROLE cat LOGIN")
    guarded.ask(0, "CREATE DATABASE cats OWNER cat")
    with Server(data=f"postgresql://cat@127.0.0.1:{guarded.ports[0]}/cats") as server:
        ann = await Client.join(server, "garden")
        await draw(ann, rectangle(identifier()))
        guarded.ask(0, "ALTER ROLE cat CONNECTION LIMIT 0")
        guarded.ask(0, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'cat'")
        (entry, *more) = await eventually(
            lambda: [entry for entry in server.log if "too many connections" in entry.get("fault", "")],
            "a line that says so")
        assert "raise max_connections" in entry["fault"] and not more, entry
        ready = await server.get("/readyz")
        assert ready.status == 503 and "raise max_connections" in ready.body.decode()
        guarded.ask(0, "ALTER ROLE cat CONNECTION LIMIT -1")
        await eventually(lambda: taken(ann), "writing again")


@pytest.fixture(scope="module")
def limited(guarded):
    """A database and a database user whose number of connections the test can limit."""
    guarded.ask(0, "CREATE ROLE dan LOGIN")
    guarded.ask(0, "CREATE DATABASE dans OWNER dan")

    def limit(count):
        guarded.ask(0, f"ALTER ROLE dan CONNECTION LIMIT {count}")

    def hang_up(name):
        guarded.ask(0, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'dan' AND application_name = 'canvas {name}'")

    return f"postgresql://dan@127.0.0.1:{guarded.ports[0]}/dans", limit, hang_up


@pytest.mark.parametrize("name", ["follower", "reader"])
async def test_a_node_that_cannot_have_one_of_its_connections_again_is_not_ready(limited, name):
    """Edits are stored by the others. It stays ready if it comes back soon."""
    url, limit, hang_up = limited
    connected = f'canvas_log_connections{{connection="{name}"}}'
    with Server(data=url) as server:
        ann = await Client.join(server, "garden")
        await draw(ann, rectangle(identifier()))

        async def comes_back():
            before = await server.metric("canvas_log_reconnects_total")
            hang_up(name)
            was_ready = True
            while (now := await server.metrics())["canvas_log_reconnects_total"] == before or now[connected] == 0:
                was_ready = was_ready and now["canvas_ready"] == 1
            return was_ready

        assert await comes_back() and (await server.get("/readyz")).status == 200
        limit(3)
        hang_up(name)
        ready = await server.answers("/readyz", 503)
        try:
            assert "raise max_connections" in ready.body.decode()
            metrics = await server.metrics()
            assert metrics["canvas_ready"] == 0 and metrics[connected] == 0
            assert ("canvas_log_lag_records" in metrics) == (name != "follower")
            assert await taken(ann), "writing goes on"
        finally:
            limit(-1)
        await server.answers("/readyz")
        await eventually(server.metrics, "the lag", holds=lambda metrics: "canvas_log_lag_records" in metrics)
        assert [entry["message"] for entry in server.log if "rooms can" in entry["message"]] == [
            "rooms can't be opened or followed; open ones can be written", "rooms can be opened and followed again"]


def test_a_database_that_cannot_be_used_is_one_line():
    with database.database() as url:
        name = url.rsplit("/", 1)[1]
        ask("CREATE SCHEMA canvas", url)
        assert "schema “canvas” of another program" in line("--data", url)
        ask("DROP SCHEMA canvas; ALTER DATABASE " + name + " SET synchronous_commit = off", url)
        assert "synchronous_commit = off" in line("--data", url)
        ask(f"ALTER DATABASE {name} SET synchronous_commit = on", url)
        with Server(data=url):
            pass
        ask("UPDATE canvas.about SET version = 99, readable_from = 98", url)
        said = line("--data", url)
        assert "schema 99 is for servers that know schema 98 or newer" in said and "start a newer server" in said
    assert "does not exist" in line("--data", url)


async def test_a_database_without_a_connection_left_is_waited_for():
    with database.database() as url:
        name = url.rsplit("/", 1)[1]
        ask(f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 2; GRANT CREATE ON DATABASE {name} TO {name}")
        try:
            with waiting(url.replace("canvas@", name + "@")) as process:
                said = await asyncio.to_thread(process.stderr.readline)
                assert "waiting for the database" in said and "raise max_connections" in said, said
                ask(f"ALTER ROLE {name} CONNECTION LIMIT 20")
                said = await asyncio.to_thread(process.stderr.readline)
                assert "listening" in said, said
            # The server exits if it is told to stop while it waits.
            ask(f"ALTER ROLE {name} CONNECTION LIMIT 0")
            with waiting(url.replace("canvas@", name + "@")) as process:
                await asyncio.to_thread(process.stderr.readline)
                process.terminate()
                assert await asyncio.to_thread(process.wait, SECONDS) == 0
                assert process.stderr.read().splitlines()[-1].endswith("stopped")
        finally:
            ask(f"DROP OWNED BY {name} CASCADE", url)
            ask(f"REVOKE ALL ON DATABASE {name} FROM {name}")
            ask(f"DROP ROLE {name}")
