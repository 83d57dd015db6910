"""Local times are shown, drawn and saved as local times."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.web.pages.playing import download, paste, submit

pytestmark = pytest.mark.services


def test_times_stay_on_the_clock_of_the_answered_zone(playground, live_key) -> None:
    zone = ZoneInfo("Europe/Berlin")
    start = datetime(2024, 10, 25, tzinfo=zone).astimezone(UTC)
    hours = [(start + timedelta(hours=i)).astimezone(zone) for i in range(60)]
    lines = [f"{hour:%d.%m.%Y %H:%M};{10 + hour.hour},5" for hour in hours]
    paste(playground, "\n".join(lines))
    choice = playground.get_by_label("Time zone")
    choice.select_option("Europe/Berlin")
    expect(playground.locator("#fact-points")).to_have_text("60")
    expect(playground.locator("#fact-first")).to_have_text("2024-10-25")
    expect(playground.locator("#code")).to_contain_text("2024-10-24T22:00:00Z")
    playground.fill("#horizon", "3")
    submit(playground, live_key)
    expect(playground.locator("#numbers tbody tr").first).to_contain_text("27.10.2024 11:00")
    expect(playground.locator("#sentence")).to_contain_text("27.10.2024 13:00")
    written = download(playground, "download")[1].decode().splitlines()[1:]
    assert [line.partition(";")[0] for line in written[:60]] == [line[:16] for line in lines]
    moments = playground.evaluate("document.getElementById('chart').data[0].x.slice(-1)")
    assert moments == [datetime(2024, 10, 27, 10, tzinfo=UTC).timestamp() * 1000]
    expect(choice).to_have_value("Europe/Berlin")
    choice.select_option("")  # asked again
    expect(playground.locator("#facts")).to_be_hidden()
    choice.select_option("Europe/Berlin")
    expect(playground.locator("#fact-points")).to_have_text("60")
