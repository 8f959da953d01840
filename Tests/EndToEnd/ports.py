"""Ports for programs that tests start."""

import socket

_kept = []


def free_port():
    """A port of loopback that is the caller's until this process ends, however often a program there is stopped and started.

    A socket of ours stays bound to it without listening, so that the system gives the port to nobody else. Who listens there
    has to set SO_REUSEADDR, as servers do."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    _kept.append(keeper)
    return keeper.getsockname()[1]
