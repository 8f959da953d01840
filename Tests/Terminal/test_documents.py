"""docs/BOTS.md: its code blocks are extracted and run unchanged."""

import asyncio
import json
import os
import re
import sys
import tempfile

import terminal
from server import Server
from terminal import environment

HERE = os.path.dirname(os.path.abspath(__file__))


def blocks(path):
    with open(path) as file:
        return re.findall(r"^```(sh|python)\n(.*?)^```$", file.read(), re.M | re.S)


async def test_each_script_of_the_page_on_bots_does_what_it_says():
    """The scripts run in the order of the page, each in one shell or one Python, against its own server."""
    found = blocks(os.path.join(HERE, "..", "..", "docs", "BOTS.md"))
    assert [kind for kind, _ in found] == ["sh"] * 4 + ["python"] * 4 + ["sh"] * 4
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        os.symlink(terminal.BINARY, f"{folder}/sync-client")
        variables = environment(server, f"{folder}/state", PATH=f"{folder}:{os.environ['PATH']}")
        said = []
        for kind, text in found:
            text = text.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
            command = ["bash", "-euo", "pipefail", "-c", text] if kind == "sh" else [sys.executable, "-c", text]
            process = await asyncio.create_subprocess_exec(
                *command, cwd=folder, env=variables, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            out, _ = await asyncio.wait_for(process.communicate(), terminal.SECONDS)
            assert process.returncode == 0, (text, out.decode())
            said.append(out.decode())

        assert said[0] == "10\n" and len(await server.named("row")) == 10
        assert (await server.named("clock"))["Hand"]["rotation"] == 60
        crossing = await server.named("crossing")
        assert sorted(shape["alpha"] for shape in crossing.values()) == [4, 10], crossing
        plan = await server.named("plan")
        assert plan["Eggs"]["text"] == "Seven eggs" and plan["Line 003"]["to"][0] == "pla-n00-002", plan
        assert "'type': 'ack'" in said[4]
        python = (await server.get("/v1/rooms/python/overlaps")).json
        assert len(await server.named("python")) == 6 and python["overlaps"] == []
        assert "pla-n00-001 rectangle Buy milk\n" in said[6] and said[6].count(" line ") == 2, said[6]
        assert [shape["position"] for shape in (await server.named("steady")).values()] == [[160, 0]]
        assert '"name":"Sun"' in said[8]
        with open(f"{folder}/sun.svg") as file:
            assert "<title>Sun</title>" in file.read()
        assert [shape["size"] for shape in (await server.named("layout")).values()] == [[250, 250]]
        assert "Guarded" in said[10]
        summary = json.loads(said[11].splitlines()[0])
        assert summary["acknowledged"] == summary["operations"] and "agrees" in said[11]


async def test_the_page_names_commands_and_options_that_there_are():
    """Checks each `sync-client X --y` in the documents."""
    with open(os.path.join(HERE, "..", "..", "docs", "BOTS.md")) as file:
        text = file.read()
    used = re.findall(r"sync-client ([a-z]+)([^|>`\n]*)", text)
    assert len(used) > 8
    for command, rest in used:
        told = (await terminal.run(None, command, "--help")).out
        for option in re.findall(r" (--[a-z]+)", rest):
            assert f"{option} " in told or f"{option}\n" in told, (command, option)
