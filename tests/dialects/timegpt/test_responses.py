"""What TimeGPT's endpoints respond to the bodies of Nixtla's SDK."""

import numpy as np

from app.dialects.timegpt.examples import EXAMPLES, FORECAST_REQUEST
from tests.dialects.timegpt.calls import Body, post
from tests.support.api import Api
from tests.support.examples import assert_response_shown


def answered(caller: Api, task: str, sent: object, **headers: str) -> Body:
    answer = post(caller, task, sent, **headers)
    assert answer.status_code == 200, answer.text
    found: Body = answer.get_json()
    return found


def test_the_example_is_what_it_gets(api: Api) -> None:
    found = answered(api, "forecast", FORECAST_REQUEST)
    found["mean"] = np.round(found["mean"], 1).tolist()
    found["intervals"] = {
        name: np.round(bounds, 1).tolist() for name, bounds in found["intervals"].items()
    }
    assert_response_shown("forecast", found, EXAMPLES)
