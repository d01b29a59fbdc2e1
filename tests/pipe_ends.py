"""What tests of pipes share: a thread for what waits for the other end."""

import threading


def in_background(call, *arguments):
    """Start what may wait for the other end of a pipe; its result, or what it raised, is the list's one entry."""
    got = []

    def run():
        try:
            got.append(call(*arguments))
        except Exception as error:
            got.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, got
