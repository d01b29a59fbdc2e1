"""The guard of conftest.py: tests reach this machine, and no other."""

import socket
import urllib.request

import pytest


def test_another_machine_is_neither_connected_to_nor_looked_up():
    with socket.socket() as there, pytest.raises(pytest.fail.Exception, match=r"192\.0\.2\.1"):
        there.connect(("192.0.2.1", 80))
    with pytest.raises(pytest.fail.Exception, match=r"example\.org"):
        socket.getaddrinfo("example.org", 443)
    # Also within a library, which catches what it calls errors.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with pytest.raises(pytest.fail.Exception, match=r"example\.org"):
        opener.open("http://example.org", timeout=1)


def test_this_machine_is_within_reach():
    with socket.create_server(("localhost", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
    first, second = socket.socketpair()
    first.close()
    second.close()
