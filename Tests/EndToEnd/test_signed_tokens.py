"""Which JSON Web Tokens are accepted, what they allow, and which are refused. The tests make them with openssl, and the
server checks them with libjwt."""

import asyncio
import base64
import contextlib
import ctypes.util
import hashlib
import hmac
import json
import os
import signal
import subprocess
import tempfile
import time

import pytest

from client import BINARY, Client, connect
from server import Server, identifier, run, tool
from test_tokens import ANN, bearer, enter, knock, post
from waiting import eventually

pytestmark = pytest.mark.skipif(
    not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")

SECRET = "a-secret-that-nobody-could-ever-guess"


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, **options).stdout


class Keys:
    """A directory of public keys as an operator has it, and the private keys."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "keys")
        self.private = folder
        os.mkdir(self.folder)
        self.write("hs.key", SECRET + "\n")
        self.pair("rs", "RSA", "rsa_keygen_bits:2048")
        self.pair("es", "EC", "ec_paramgen_curve:P-256")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def pair(self, kid, kind, option):
        path = os.path.join(self.private, kid + ".private")
        openssl("genpkey", "-algorithm", kind, "-pkeyopt", option, "-out", path)
        self.write(kid + ".pem", openssl("pkey", "-in", path, "-pubout").decode())

    def public(self, kid):
        with open(os.path.join(self.folder, kid + ".pem"), "rb") as file:
            return file.read()

    def sign(self, algorithm, kid, content):
        if algorithm == "HS256":
            return hmac.new(SECRET.encode(), content, hashlib.sha256).digest()
        signature = openssl("dgst", "-sha256", "-sign", os.path.join(self.private, kid + ".private"), input=content)
        if algorithm == "RS256":
            return signature
        # openssl gives the signature as two integers in ASN.1. A token has each of them as 32 bytes.
        first = signature[4 : 4 + signature[3]]
        second = signature[6 + len(first) :]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (first, second))

    def token(self, algorithm="HS256", kid="hs", header=None, signed_as=None, **claims):
        claims = {"sub": "ann", "role": "editor", "rooms": ["demo", "team-*"], "exp": int(time.time()) + 600} | claims
        claims = {name: value for name, value in claims.items() if value is not None}
        head = {"alg": algorithm, "typ": "JWT", "kid": kid} | (header or {})
        content = f"{encoded(head)}.{encoded(claims)}".encode()
        return f"{content.decode()}.{text(self.sign(signed_as or algorithm, kid, content))}"


def text(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def encoded(value):
    return text(json.dumps({name: each for name, each in value.items() if each is not None}).encode())


@contextlib.contextmanager
def trusting(*flags):
    """Starts a server that accepts tokens signed with these keys."""
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(folder)
        with Server("--jwt-keys", keys.folder, "--log-level", "debug", *flags) as server:
            yield server, keys
            assert not any("eyJ" in line for line in server.lines), "no token is in the log"


async def status(server, token, room="demo"):
    return (await server.get(f"/v1/rooms/{room}/history", bearer(token))).status


async def test_tokens_of_all_three_algorithms_are_taken():
    """C10: Over HTTP and WebSockets, in header and URL, for the rooms and role that they name."""
    with trusting() as (server, keys):
        for algorithm, kid in [("HS256", "hs"), ("RS256", "rs"), ("ES256", "es")]:
            token = keys.token(algorithm, kid)
            assert (await post(server, "demo", token)).status == 200, algorithm
            assert (await post(server, "team-a", token)).status == 200
            assert (await post(server, "other", token)).status == 403
            assert (await enter(server, "demo", token)).welcome["role"] == "editor"
            assert (await enter(server, "demo", token, header=True)).welcome["role"] == "editor"
            assert await knock(server, "other", token) == (4403, "forbidden")
            viewer = keys.token(algorithm, kid, role="viewer", rooms="*")
            assert (await enter(server, "other", viewer)).welcome["role"] == "viewer"
            assert (await post(server, "demo", viewer)).status == 403
            assert (await server.get("/metrics", bearer(keys.token(algorithm, kid, role="operator")))).status == 200
        assert (await server.get("/v1/rooms")).status == 401 and await knock(server, "demo") == (4401, "no_token")


async def test_tokens_that_are_not_as_they_should_be_are_refused():
    """C10: Tests a wrong algorithm or none, an unknown key, and changed bytes. SignedClaimsTests has the claims."""
    with trusting() as (server, keys):
        assert (await post(server, "demo", keys.token())).status == 200
        good = keys.token()
        head, claims, signature = good.split(".")
        now = int(time.time())
        # Everybody knows the public key. So a signature that uses it as a shared secret proves nothing, and must be
        # refused.
        content = f"{encoded({'alg': 'HS256', 'kid': 'rs'})}.{claims}".encode()
        confused = content.decode() + "." + text(hmac.new(keys.public("rs"), content, hashlib.sha256).digest())
        wrong = [
            confused,
            f"{encoded({'alg': 'none', 'kid': 'hs'})}.{claims}.", f"{encoded({'alg': 'none'})}.{claims}.{signature}",
            f"{encoded({'alg': 'None', 'kid': 'hs'})}.{claims}.{signature}",
            keys.token("RS256", "rs", header={"alg": "HS256"}), keys.token("ES256", "es", header={"alg": "RS256"}),
            keys.token("HS256", "hs", header={"alg": "HS512"}), keys.token(header={"kid": "other"}), keys.token(header={"kid": None}),
            keys.token(header={"kid": 7}), keys.token(header={"kid": "../hs"}), keys.token(header={"crit": ["exp"]}),
            keys.token(signed_as="RS256", algorithm="HS256", kid="rs"),
            # What isn't Base64 would make another account of the same token.
            *(f"{rs}{more}" for rs in [keys.token("RS256", "rs")] for more in ("!", "=", "~~~~")),
            f"{head}.{claims}.{signature[:-4]}", f"{head}.{claims}x.{signature}", f"{head}.{claims}", f"{good}.x", f".{claims}.{signature}",
            f"{head}.{encoded({'role': 'operator', 'rooms': '*', 'exp': now + 60})}.{signature}",
            keys.token(exp=now - 61), keys.token(nbf=now + 90), keys.token(iat=now + 90), keys.token(role="owner"), keys.token(rooms=[]),
            keys.token(aud="elsewhere"), keys.token(padding="x" * 9000), "eyJ", "a.b.c", "." * 20,
        ]
        for token in wrong:
            assert await status(server, token) == 401, token
        for token in wrong[:6]:
            assert await knock(server, "demo", token, header=True) == (4401, "no_token"), token
        for token in [keys.token(exp=now - 30), keys.token(nbf=now + 30), keys.token(nbf=now - 5, iat=now, jti="x", more={"a": [1]})]:
            assert await status(server, token) == 200, "within the leeway"
        assert await status(server, keys.token(header={"typ": None})) == 200


async def test_a_token_that_is_refused_says_why():
    """C10: The log has the reason. The client gets it only if the signature is valid."""
    with trusting("--jwt-audience", "canvas") as (server, keys):
        good = {"aud": "canvas"}
        expired = int(time.time()) - 600
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(expired))
        unknown = "the token is not known here"
        cases = [
            (None, "no token was sent", "send a valid token"),
            ("nonsense", unknown, unknown),
            (keys.token(header={"kid": "other"}, **good), "(kid): other", unknown),
            (keys.token(**good)[:-4] + "AAAA", "signature", unknown),
            (keys.token(header={"typ": "at+jwt"}, **good), "(typ) is not JWT", unknown),
            (keys.token(exp=expired, **good), f"expired at {moment}", f"expired at {moment}"),
            (keys.token(aud="mail"), "(aud): mail", "(aud): mail"),
        ]
        for token, _, told in cases:
            answer = await server.get("/v1/rooms/demo/history", bearer(token) if token else {})
            assert answer.status == 401 and told in answer.json["error"]["message"], (told, answer.body)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        client = await connect(server, "demo", additional_headers=bearer(cases[5][0]))
        assert cases[5][2] in (await client.until("error", code="no_token"))["message"]
        assert await client.closed() == 4401

        async def logged():
            lines = [line for line in server.log if line["message"] == "refused"]
            return lines if len(lines) == len(cases) + 1 else None

        lines = await eventually(logged, "all are in the log")
        for line, (_, reason, _) in zip(lines, cases):
            assert reason in line["reason"] and line["code"] == "http_401", line
            assert line["request"] == "GET /v1/rooms/demo/history" and "token" not in line, line
        assert cases[5][1] in lines[-1]["reason"] and lines[-1]["code"] == "no_token"
        assert (await post(server, "demo", keys.token(aud=["mail", "canvas"]))).status == 200


async def test_a_token_names_its_bearer():
    """C10: The shown name, the actor and the label in the log come from the token, whatever the hello says."""
    with trusting() as (server, keys):
        own = identifier()
        token = keys.token(name="Ann Example", actor=own, sub="ann@example.com")
        ann = await enter(server, "demo", token, name="Somebody Else", actor=identifier())
        assert ann.actor == own
        bob = await enter(server, "demo", keys.token(sub="bob"))
        assert [(peer["actor"], peer["name"]) for peer in bob.welcome["peers"]] == [(own, "Ann Example")]
        again = await enter(server, "demo", token)
        assert again.actor == own and await ann.closed() == 4409
        forger = await enter(server, "demo", keys.token(sub="bob"), actor=own)
        assert forger.actor != own and not again.errors
        for client in (again, forger):
            await client.close()
        for protocols in (["canvas.v1.json"], BINARY):
            # The owner of the actor is offline. Nobody else may take the actor.
            taker = await Client.join(
                server, "demo", protocols, options={"additional_headers": bearer(keys.token(sub="bob"))}, actor=own)
            assert taker.actor != own
            await taker.close()
        again = await enter(server, "demo", token)
        bob = await enter(server, "demo", keys.token(sub="bob"))
        assert again.actor == own
        found = (await server.get("/v1/rooms/demo/peers", bearer(keys.token(role="operator")))).json["peers"]
        assert {"ann@example.com", "bob"} == {peer["token"] for peer in found}


async def bring(client, token):
    await client.send({"type": "token", "token": token})
    while (answer := await client.receive())["type"] not in ("token", "error"):
        pass
    return answer


async def test_a_token_is_replaced_while_connected():
    """C10: A client that sends `token` may stay after its first token ends. A refused token changes nothing."""
    with trusting("--jwt-leeway", "0") as (server, keys):
        end = int(time.time()) + 3
        ann = await enter(server, "demo", keys.token(exp=end))
        assert (await ann.until("error"))["code"] == "token_expires"

        for wrong in ["nonsense", keys.token(exp=end - 60), keys.token(rooms=["other"]), keys.token(role="viewer"),
                      keys.token(role="operator"), keys.token(actor=identifier()), "x" * 9_000]:
            answer = await bring(ann, wrong)
            assert answer["type"] == "error" and answer["code"] == "token_refused" and answer["message"], answer
        # The answer says when the new token expires. A minute before that, the client is warned again.
        assert await bring(ann, keys.token(exp=end + 30)) == {"type": "token", "until": (end + 30) * 1_000}
        assert (await ann.until("error"))["code"] == "token_expires"
        assert await bring(ann, keys.token(exp=end + 597, actor=ann.actor)) == {"type": "token", "until": (end + 597) * 1_000}
        # Another person can't go on as her: their token doesn't name her actor.
        assert (await bring(ann, keys.token(sub="bob")))["code"] == "token_refused"
        await eventually(time.time, "the first token has ended", holds=lambda now: now > end + 1.2)
        await ann.draw()
        # The client takes a new token. When the file of this token's key is removed, the client is disconnected.
        assert (await bring(ann, keys.token("ES256", "es")))["type"] == "token"
        os.remove(os.path.join(keys.folder, "es.pem"))
        server.process.send_signal(signal.SIGHUP)
        assert await ann.closed() == 4401


async def test_nobody_goes_on_as_another_by_steps():
    """C11: What a token says of its bearer counts on, also after one of the same subject that doesn't say it."""
    with trusting() as (server, keys):
        own = identifier()
        ann = await enter(server, "demo", keys.token(actor=own, name="Ann"))
        assert (await bring(ann, keys.token()))["type"] == "token"
        for lacking in [{}, {"actor": own}, {"name": "Ann"}, {"actor": own, "name": "Bob"}]:
            assert (await bring(ann, keys.token(sub="bob", **lacking)))["code"] == "token_refused", lacking
        assert (await bring(ann, keys.token(sub="bob", actor=own, name="Ann")))["type"] == "token"
        assert (await bring(ann, keys.token(sub="bob")))["type"] == "token"


async def test_a_token_is_replaced_in_the_binary_encoding_and_where_none_is_asked_for(shared):
    """C10: If the token has no expiry, `until` is left out."""
    ann, bob = await Client.join(shared, "tokens"), await Client.join(shared, "tokens", BINARY)
    for client in (ann, bob):
        await client.send({"type": "token", "token": "any"})
        answer = await client.until("token")
        assert {name for name, value in answer.items() if value is not None} == {"type"}, answer
    await ann.send({"type": "token"})
    assert (await ann.until("error"))["code"] == "bad_field"


async def test_keys_are_read_again_on_sighup():
    """C10: A removed key stops working, and a new key works. A directory that can't be read changes nothing."""
    with trusting() as (server, keys):
        stays, goes = await enter(server, "demo", keys.token()), await enter(server, "demo", keys.token("ES256", "es"))
        os.remove(os.path.join(keys.folder, "es.pem"))
        keys.pair("new", "EC", "ec_paramgen_curve:P-256")
        server.process.send_signal(signal.SIGHUP)
        assert await goes.closed() == 4401
        assert (await post(server, "demo", keys.token("ES256", "new"))).status == 200
        await stays.draw()
        keys.write("bad.pem", "-----BEGIN NONSENSE-----\n")
        server.process.send_signal(signal.SIGHUP)
        (line,) = await server.logged("the tokens can't be read; the old ones stay valid")
        assert line["reason"].startswith("bad.pem: ")
        assert (await post(server, "demo", keys.token())).status == 200
        # A script may just have removed the files, to write them anew.
        for name in os.listdir(keys.folder):
            os.remove(os.path.join(keys.folder, name))
        server.process.send_signal(signal.SIGHUP)
        await server.logged(reason="there are no keys; to end all signed tokens, put another key there")
        assert (await post(server, "demo", keys.token())).status == 200
        await stays.draw()


async def test_one_file_is_one_key_and_lines_of_tokens_go_on_beside_it(tmp_path):
    """With a single key, a token needs no `kid`."""
    keys, path = Keys(str(tmp_path)), tmp_path / "tokens"
    path.write_text(f"{ANN} editor demo\n")
    with Server("--tokens", path, "--jwt-keys", os.path.join(keys.folder, "es.pem")) as server:
        for token in (ANN, keys.token("ES256", "es"), keys.token("ES256", "es", header={"kid": None})):
            assert (await post(server, "demo", token)).status == 200
        assert (await post(server, "demo", keys.token())).status == 401
        # A key that can't be read doesn't keep a token that was removed from the other file.
        keys.write("es.pem~", "-----BEGIN NONSENSE-----\n")
        key = keys.public("es").decode()
        keys.write("es.pem", "-----BEGIN NONSENSE-----\n")
        path.write_text("# nobody\n")
        server.process.send_signal(signal.SIGHUP)
        await server.logged("the tokens can't be read; the old ones stay valid")
        await eventually(lambda: post(server, "demo", ANN), "it is refused", holds=lambda answer: answer.status == 401)
        assert (await post(server, "demo", keys.token("ES256", "es"))).status == 200
        keys.write("es.pem", key)
    # What stands before a public key doesn't make it a secret.
    keys.write("es.pem", "\n# Ours\n" + keys.public("es").decode())
    with Server("--jwt-keys", os.path.join(keys.folder, "es.pem")) as server:
        assert (await post(server, "demo", keys.token("ES256", "es"))).status == 200


async def test_keys_that_cannot_be_used_end_with_64(tmp_path):
    """The server prints one line that names the file."""
    keys = Keys(str(tmp_path))
    weak = tmp_path / "weak.private"
    openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", weak)
    # A public key that isn't in PEM must not be taken for a secret, because everybody may know it.
    public = os.path.join(keys.folder, "rs.pem")
    pem = keys.public("rs")
    others = {
        "short": b"too short\n", "weak.pem": openssl("pkey", "-in", weak, "-pubout"),
        "der": openssl("pkey", "-pubin", "-in", public, "-outform", "DER"), "bare": b"".join(pem.split(b"\n")[1:-2]),
        "jwks": b'\n{"keys":[{"kty":"RSA","n":"0vx7agoebGcQ"}]}', "ssh": b"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ ann",
        "wide": pem.decode().encode("utf-16"),
    }
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
    for path in [tmp_path / name for name in ["es.private", "missing", *others]]:
        code, _, said = await asyncio.to_thread(run, "--data", "memory", "--port", 0, "--jwt-keys", path)
        assert code == 64 and said.startswith(f"SyncServer: --jwt-keys {path}: ") and said.count("\n") == 1, said
