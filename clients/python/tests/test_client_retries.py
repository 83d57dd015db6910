"""Which calls are sent again, when, and which never: the same for both clients."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

import forecast_client as fc
from forecast_client.calls import verify
from forecast_client.retries import Flow, Parallel, Retries, Sleep
from scripted import (
    KEY,
    KEY_RECORD,
    MONITOR,
    MONTHS,
    URL,
    VERIFIED,
    Scripted,
    Step,
    forecast_ok,
    ok,
    page,
    rejection,
)

Make = Callable[..., Scripted]
LOST = httpx.ReadError("")
CONNECT_ERROR = httpx.ConnectError("refused")
TRANSIENT = {
    "limit": rejection(429),
    "busy": rejection(503),
    "not running": rejection(502),
    "gateway timeout": rejection(504),
    "proxy's page": page(502),
    "rejected": CONNECT_ERROR,
    "lost": LOST,
    "silent": httpx.ReadTimeout(""),
}
DATE = "Mon, 23 Nov 2026 10:00:00 GMT"
LATER = "Mon, 23 Nov 2026 10:00:42 GMT"
UNREPEATED_CALLS = {
    "a key is created": lambda client: client.keys.create(["read"]),
    "a key is rotated": lambda client: client.keys.rotate(3),
    "a webhook is made": lambda client: client.webhooks.put("ops", "https://example.com/hook"),
    "a webhook gets a secret": lambda client: client.webhooks.rotate("ops"),
    "a webhook is tested": lambda client: client.webhooks.test("ops"),
}
REPEATED_CALLS = {
    "a monitor is put": (lambda client: client.monitors.put("cpu", "Minutes"), ok(MONITOR)),
    "a key is revoked": (lambda client: client.keys.revoke(3), httpx.Response(204)),
    "a key is changed": (lambda client: client.keys.change(3, label="x"), ok(KEY_RECORD)),
    "the key is verified": (lambda client: client.verify(), ok(VERIFIED)),
}


def forecast(client: object) -> object:
    return client.forecast(MONTHS, 2)


@pytest.mark.parametrize("name", TRANSIENT)
def test_a_forecast_is_sent_again_the_same_until_it_succeeds(scripted: Make, name: str) -> None:
    made = scripted(TRANSIENT[name], TRANSIENT[name], forecast_ok())
    assert made.run(forecast).median == [1.0, 2.0]
    assert made.pauses == [0.5, 1.0]
    assert len({request.content for request in made.requests}) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 500])
def test_a_call_that_would_fail_again_is_not_retried(scripted: Make, status: int) -> None:
    made = scripted(rejection(status))
    with pytest.raises(fc.ResponseError):
        made.run(forecast)
    assert made.pauses == []


def test_attempts_are_bounded_and_the_last_error_is_raised(scripted: Make) -> None:
    made = scripted(CONNECT_ERROR, CONNECT_ERROR, CONNECT_ERROR, rejection(503, "busy"))
    with pytest.raises(fc.ServiceUnavailableError, match="busy"):
        made.run(forecast)
    assert made.pauses == [0.5, 1.0, 2.0]
    assert len(made.requests) == 4


def test_zero_retries_send_a_call_once(scripted: Make) -> None:
    made = scripted(LOST, retries=0)
    with pytest.raises(fc.ServiceConnectionError):
        made.run(forecast)
    assert len(made.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry_After": "42"}, 42),
        ({"Retry_After": LATER, "Date": DATE}, 42),
        ({"Retry_After": "0"}, 0.5),
        ({"Retry_After": DATE, "Date": LATER}, 0.5),
        ({"Retry_After": "soon"}, 0.5),
        ({"Retry_After": "-3"}, 0.5),
    ],
    ids=["seconds", "date", "none", "past", "word", "negative"],
)
def test_retry_after_is_respected(
    scripted: Make, status: int, headers: dict[str, str], pause: float
) -> None:
    made = scripted(rejection(status, **headers), forecast_ok())
    made.run(forecast)
    assert made.pauses == [pause]


def test_a_limit_of_an_hour_is_raised_immediately_with_its_seconds(scripted: Make) -> None:
    made = scripted(rejection(429, "Rate limit exceeded", Retry_After="3600"))
    with pytest.raises(fc.RateLimitError) as raised:
        made.run(forecast)
    assert raised.value.retry_after == 3600
    assert made.pauses == []


def test_the_pauses_of_a_call_are_bounded_together(scripted: Make) -> None:
    made = scripted(rejection(429, Retry_After="40"), max_wait=60)
    with pytest.raises(fc.RateLimitError):
        made.run(forecast)
    assert made.pauses == [40]


@pytest.mark.parametrize("name", UNREPEATED_CALLS)
@pytest.mark.parametrize(
    "lost", [LOST, httpx.ReadTimeout(""), rejection(502), rejection(504), page(503)], ids=repr
)
def test_a_secret_is_not_lost_by_sending_again(scripted: Make, name: str, lost: Step) -> None:
    made = scripted(lost)
    with pytest.raises(fc.ForecastError):
        made.run(UNREPEATED_CALLS[name])
    assert len(made.requests) == 1


@pytest.mark.parametrize("before", [CONNECT_ERROR, rejection(429), rejection(503)], ids=repr)
def test_a_call_that_never_arrived_is_retried_even_if_it_creates_a_secret(
    scripted: Make, before: Step
) -> None:
    made = scripted(before, ok(KEY_RECORD | {"key": "ak_1"}, 201))
    assert made.run(lambda client: client.keys.create(["read"])).key == "ak_1"


@pytest.mark.parametrize("name", REPEATED_CALLS)
def test_idempotent_calls_are_retried_after_a_lost_response(scripted: Make, name: str) -> None:
    use, response = REPEATED_CALLS[name]
    made = scripted(LOST, response)
    made.run(use)
    assert len(made.requests) == 2


def delete(client: object) -> object:
    return client.monitors.delete("cpu")


def test_a_404_after_a_lost_delete_means_deleted(scripted: Make) -> None:
    assert scripted(LOST, rejection(404)).run(delete) is None


@pytest.mark.parametrize("before", [CONNECT_ERROR, rejection(429), rejection(503)], ids=repr)
def test_a_404_of_a_delete_that_never_arrived_is_an_error(scripted: Make, before: Step) -> None:
    with pytest.raises(fc.NotFoundError):
        scripted(before, rejection(404)).run(delete)


def test_a_404_of_a_proxy_is_not_taken_for_a_deletion(scripted: Make) -> None:
    with pytest.raises(fc.UnexpectedResponseError):
        scripted(LOST, page(404)).run(delete)


def test_clients_that_failed_together_do_not_retry_together() -> None:
    error = fc.ServiceConnectionError("", was_sent=False)
    chances = [0.0, 0.4, 0.999]
    pauses = [Retries(chance=lambda: chance).pause(1, error) for chance in chances]  # noqa: B023
    assert pauses == pytest.approx([0.5, 0.4, 0.25025])
    limit = fc.RateLimitError("", status=429, code="", details={}, retry_after=9)
    pauses = [Retries(chance=lambda: chance).pause(1, limit) for chance in chances]  # noqa: B023
    assert pauses == pytest.approx([9, 9.2, 9.4995])


def test_pauses_double_up_to_the_longest() -> None:
    retries = Retries(limit=9, chance=lambda: 0.0, clock=lambda: 0.0)
    attempts = retries.attempts(verify())
    error = fc.ServiceConnectionError("", was_sent=True)
    assert [attempts.pause_after(error) for _ in range(6)] == [0.5, 1, 2, 4, 8, 8]


def test_slow_attempts_count_against_the_bound() -> None:
    now = [0.0]
    retries = Retries(max_wait_seconds=75, clock=lambda: now[0])
    attempts = retries.attempts(verify())
    error = fc.ServiceTimeoutError("", was_sent=True)
    now[0] = 60
    attempts.pause_after(error)
    now[0] = 120
    with pytest.raises(fc.ServiceTimeoutError):
        attempts.pause_after(error)


def test_parallel_calls_of_a_failed_plan_have_ended_when_its_error_is_raised() -> None:
    failure, ended, stopped = fc.ForecastError("No"), [], []

    async def sleep(seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)
        finally:
            await asyncio.sleep(0.01)  # as long as closing a connection may take
            ended.append(seconds)

    def wait() -> Flow[None]:
        yield Sleep(60.0)

    def fail() -> Flow[None]:
        yield Sleep(0.0)
        raise failure

    def plan(_retries: Retries) -> Flow[None]:
        yield Parallel([wait(), fail()], stopped.append)

    async def run() -> None:
        async with fc.AsyncForecastClient(URL, KEY) as client:
            client.transport.sleep = sleep
            with pytest.raises(fc.ForecastError):
                await client.transport.send(plan)
            assert ended == [0.0, 60.0]
            assert stopped == [failure]

    asyncio.run(run())
