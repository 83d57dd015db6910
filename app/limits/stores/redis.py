"""Counters in Redis or Valkey, under the interface of `limits`.

The library's own storage increments one window after the other. Here one script reads all windows
of a request and counts it in all or none; the server's clock decides when a window ends.
"""

import itertools
from typing import Any

from limits.storage import RedisStorage

from app.limits.budget import UNLIMITED, Budget, Reading, judge

TIMEOUT_SECONDS = 2

# KEYS: one counter a window. ARGV: 1 to count, 0 to look; then limit and milliseconds per window.
# Answers the server's clock in milliseconds, so that every node computes the same end of a window;
# then count and milliseconds left of each window as they were before.
TAKE_ALL_OR_NONE = b"""
local clock = redis.call('TIME')
local answer = {clock[1] * 1000 + math.floor(clock[2] / 1000)}
local fits = ARGV[1] == '1'
for i, key in ipairs(KEYS) do
  local used = tonumber(redis.call('GET', key) or '0')
  local left = redis.call('PTTL', key)
  if left < 0 then used = 0 end
  if used >= tonumber(ARGV[2 * i]) then fits = false end
  answer[2 * i] = used
  answer[2 * i + 1] = left
end
if fits then
  for i, key in ipairs(KEYS) do
    if answer[2 * i + 1] < 0 then
      redis.call('SET', key, 1, 'PX', ARGV[2 * i + 1])
    else
      redis.call('INCR', key)
    end
  end
end
return answer
"""


class RedisCounters(RedisStorage):
    """Counters under keys ``LIMITS/owner/seconds``."""

    STORAGE_SCHEME = [  # noqa: RUF012 - the library's registry reads a plain list
        "redis",
        "rediss",
        "redis+unix",
        "valkey",
        "valkeys",
        "valkey+unix",
    ]

    def __init__(self, uri: str, **_options: Any) -> None:
        # One client speaks to both servers, so that valkey:// needs no second library.
        super().__init__(
            uri.replace("valkey", "redis", 1) if uri.startswith("valkey") else uri,
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
        )
        self._take_all_or_none = self.get_connection().register_script(TAKE_ALL_OR_NONE)

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        return self._run(budget, taking=True)

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        return self._run(budget, taking=False)

    def _run(self, budget: Budget, *, taking: bool) -> Reading:
        counters = [(budget.owner, seconds, limit) for seconds, limit in budget.windows]
        if budget.heir is not None:
            counters += [(budget.heir, seconds, UNLIMITED) for seconds, _limit in budget.windows]
        keys = [f"{self.key_prefix}/{owner}/{seconds}" for owner, seconds, _limit in counters]
        numbers = itertools.chain.from_iterable(
            (limit, seconds * 1000) for _owner, seconds, limit in counters
        )
        clock, *answer = self._take_all_or_none(keys, [int(taking), *numbers])
        now = int(clock)
        counted = {
            (owner, seconds): (int(used), (now + int(left)) / 1000)
            for (owner, seconds, _limit), used, left in zip(
                counters, answer[::2], answer[1::2], strict=True
            )
            if int(left) >= 0
        }
        return judge(budget, counted, now / 1000, taking=taking)
