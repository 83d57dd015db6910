"""Counters in Redis or Valkey: one script per request; windows follow the server's clock."""

import re

import redis

from app.identity.limits.budget import UNLIMITED, Budget, BudgetState, OwnerCounts, budget_state

_TIMEOUT_SECONDS = 2
_KEY_PREFIX = "LIMITS"

# KEYS: one counter per window. ARGV: requests to count, 0 to read; then limit and milliseconds per
# window.
# Returns the server's time in milliseconds, so that all nodes compute the same end of a window;
# then for each window the count and the milliseconds left before this request.
_ACQUIRE_SCRIPT = """
local clock = redis.call('TIME')
local counts = {clock[1] * 1000 + math.floor(clock[2] / 1000)}
local cost = tonumber(ARGV[1])
local fits = cost > 0
for i, key in ipairs(KEYS) do
  local used = tonumber(redis.call('GET', key) or '0')
  local left = redis.call('PTTL', key)
  if left < 0 then used = 0 end
  if used + cost > tonumber(ARGV[2 * i]) then fits = false end
  counts[2 * i] = used
  counts[2 * i + 1] = left
end
if fits then
  for i, key in ipairs(KEYS) do
    if counts[2 * i + 1] < 0 then
      redis.call('SET', key, cost, 'PX', ARGV[2 * i + 1])
    else
      redis.call('INCRBY', key, cost)
    end
  end
end
return counts
"""

# KEYS: one counter per window. ARGV: the end of each in milliseconds, accurate to a few
# milliseconds. A window that has begun since ends much later.
_RELEASE_SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
for i, key in ipairs(KEYS) do
  local left = redis.call('PTTL', key)
  if left >= 0 and now + left < tonumber(ARGV[i]) + 500 then redis.call('DECR', key) end
end
"""

# KEYS: one counter per window. ARGV: requests to add and milliseconds left per window.
_ADD_SCRIPT = """
for i, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < 0 then
    redis.call('SET', key, ARGV[2 * i - 1], 'PX', ARGV[2 * i])
  else
    redis.call('INCRBY', key, ARGV[2 * i - 1])
  end
end
"""


class RedisCounters:
    """A `CounterStore` with keys ``LIMITS/owner/seconds``."""

    def __init__(self, uri: str) -> None:
        # The same client works for both servers, so valkey:// needs no other library.
        url = re.sub("^valkey", "redis", uri).replace("redis+unix:", "unix:", 1)
        self._server = redis.from_url(
            url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
        )
        self._acquire = self._server.register_script(_ACQUIRE_SCRIPT)
        self._release = self._server.register_script(_RELEASE_SCRIPT)
        self._add = self._server.register_script(_ADD_SCRIPT)

    def acquire(self, budget: Budget, cost: int = 1) -> BudgetState:
        return self._run(budget, cost)

    def read(self, budget: Budget) -> BudgetState:
        return self._run(budget, cost=0)

    def release(self, budget: Budget, acquired: BudgetState) -> None:
        keys = [f"{_KEY_PREFIX}/{budget.owner}/{window.seconds}" for window in acquired.windows]
        self._release(keys, [int(window.resets_at * 1000) for window in acquired.windows])

    def add(self, spent: OwnerCounts) -> None:
        running = [
            (seconds, used, int(seconds_left * 1000))
            for seconds, used, seconds_left in spent.windows
        ]
        running = [window for window in running if window[2]]
        keys = [f"{_KEY_PREFIX}/{spent.owner}/{seconds}" for seconds, _used, _left in running]
        self._add(keys, [number for _seconds, *numbers in running for number in numbers])

    def _run(self, budget: Budget, cost: int) -> BudgetState:
        counters = [
            (owner, seconds, limit if owner == budget.owner else UNLIMITED)
            for owner in budget.owners()
            for seconds, limit in budget.windows
        ]
        keys = [f"{_KEY_PREFIX}/{owner}/{seconds}" for owner, seconds, _limit in counters]
        numbers = [n for _owner, seconds, limit in counters for n in (limit, seconds * 1000)]
        clock, *counts = self._acquire(keys, [cost, *numbers])
        now = int(clock)
        counted = {
            seconds: (int(used), (now + int(left)) / 1000)
            for (seconds, _limit), used, left in zip(
                budget.windows, counts[::2], counts[1::2], strict=False
            )
            if int(left) >= 0
        }
        return budget_state(budget, counted, now / 1000, cost=cost)
