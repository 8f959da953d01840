"""How tests wait: they check a condition again and again until it holds. All checks have the same timeout. It only
ends a hang, so it is far longer than anything takes on a busy machine. The failure message has the last value."""

import asyncio
import inspect
import time

SECONDS = 60
PAUSE_SECONDS = 0.01


class _Wait:
    def __init__(self, what, holds):
        self._what, self._holds, self._end = what, holds, time.monotonic() + SECONDS

    def is_over(self, found):
        if self._holds(found):
            return True
        if time.monotonic() > self._end:
            what = self._what() if callable(self._what) else self._what
            raise AssertionError(f"{SECONDS} s in vain: {what}; what was seen last: {repr(found)[:2_000]}")
        return False


async def eventually(look, what, holds=bool):
    """Calls `look` until `holds` is true for its result, and returns that result. `look` may be `async`."""
    wait = _Wait(what, holds)
    while True:
        found = look()
        if inspect.isawaitable(found):
            found = await found
        if wait.is_over(found):
            return found
        await asyncio.sleep(PAUSE_SECONDS)


def wait_until(look, what, holds=bool):
    """Like `eventually`, for functions that are not `async`."""
    wait = _Wait(what, holds)
    while not wait.is_over(found := look()):
        time.sleep(PAUSE_SECONDS)
    return found


def moment():
    """Returns a time in milliseconds that is later than everything before this call and earlier than everything
    after it. Servers, pages and tests use the same clock, and stored times are whole milliseconds."""
    begun = int(time.time() * 1000)
    wait_until(lambda: time.time() * 1000, "the clock goes on", holds=lambda now: now > begun + 20)
    return begun + 10
