"""Ports for programs that tests start."""

import socket

_kept = []


def free_port():
    """A free loopback port that stays reserved until this process ends, even while no program listens there.

    A socket stays bound to the port without listening, so the system gives the port to nobody else. A program that
    listens there has to set SO_REUSEADDR, as servers do."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    _kept.append(keeper)
    return keeper.getsockname()[1]
