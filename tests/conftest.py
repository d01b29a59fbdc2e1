"""No test reaches beyond this machine: a connection to another one, or a look-up of its name, fails and names it."""

import ipaddress
import socket
import sys

import hypothesis
import pytest

# Failing examples are not kept between runs, as a checkout may be closed to writing.
hypothesis.settings.register_profile("here", database=None)
hypothesis.settings.load_profile("here")

NAMES = {"", "localhost", "ip6-localhost", socket.gethostname().lower()}


def is_local(host):
    """Return whether a name or number is one of this machine."""
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    try:
        number = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name.lower() in NAMES
    return number.is_loopback or number.is_unspecified


def asked_host(event, arguments):
    """Return the host that an audit event of Python asks for; None where it asks for none."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        return arguments[0]
    if event not in ("socket.connect", "socket.sendto"):
        return None
    where, address = arguments
    inet = where.family in (socket.AF_INET, socket.AF_INET6)
    # To connect a datagram socket sends nothing: Dask learns the machine's own address by it.
    if not inet or (event == "socket.connect" and where.type == socket.SOCK_DGRAM):
        return None
    return address[0]


class Guard:
    """An audit hook, which sees every socket of the process; it cannot be removed, but switched off."""

    active = False

    def __call__(self, event, arguments):
        if self.active and event.startswith("socket."):
            host = asked_host(event, arguments)
            if not is_local(host):
                # `Failed` is no Exception: no library takes it for a network that is down, and goes on.
                pytest.fail(f"a test reached for the network: {event} {host!r}")


# Calls that ask for a host, and the audit event that each raises.
CALLS = (
    (socket.socket, "connect"),
    (socket.socket, "connect_ex"),
    (socket.socket, "sendto"),
    (socket, "getaddrinfo"),
    (socket, "gethostbyname"),
)


def guarded(guard, call, event):
    """Return a function that tells the guard before it calls another, as Python tells its audit hooks."""

    def told(*arguments, **options):
        first, last = (arguments[i] if arguments else options["host"] for i in (0, -1))
        guard(event, (first, last))
        return call(*arguments, **options)

    return told


@pytest.fixture(scope="session", autouse=True)
def _no_network():
    guard = Guard()
    with pytest.MonkeyPatch.context() as patch:
        if sys.gettrace() is None:
            sys.addaudithook(guard)
        else:
            # Where lines are recorded, each thread begins with sys.settrace. It calls the hook half-way, another thread
            # begins meanwhile, and Python 3.11 refuses that one's: it dies. So the calls themselves are guarded.
            for owner, name in CALLS:
                event = f"socket.{name.removesuffix('_ex')}"
                patch.setattr(owner, name, guarded(guard, getattr(owner, name), event))
        guard.active = True
        yield
        guard.active = False


def pytest_sessionfinish():
    """Save the lines that were recorded, if any: a process of tests that takes ten seconds to end is killed."""
    coverage = sys.modules.get("coverage")
    running = None if coverage is None else coverage.Coverage.current()
    if running is not None:
        running.save()


def pytest_collection_modifyitems(items):
    """Mark the tests that need the authors' files, by the reason for which they are skipped without them."""
    for item in items:
        if any("authors' files" in mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif")):
            item.add_marker("authors")
