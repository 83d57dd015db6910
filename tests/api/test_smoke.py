"""The main job, in one process: a key, a real series, a forecast."""

from tests.support.series import airline


def test_a_real_series_gets_a_forecast_of_the_asked_length(client, key):
    response = client.post("/forecast", json=airline(), headers={"Authorization": f"Bearer {key}"})
    body = response.get_json()
    assert response.status_code == 200, body
    assert body["forecast_timestamps"][0] == "1961-01-01T00:00:00"
    assert [len(column) for column in body.values()] == [12] * 4
