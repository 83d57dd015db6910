"""The names of TimeGPT's models, and our model that serves each."""

from app.forecasting.jobs.windows import MAX_HISTORY_POINTS
from app.forecasting.model_ids import MODEL_IDS
from app.forecasting.types import MAX_HORIZON

DEFAULT_TIMEGPT_MODEL = "timegpt-2.1"
# Fast models serve TimeGPT's fast ones. The default must forecast 1,000 series in a call.
TIMEGPT_MODELS = {
    "timegpt-1": "forecast-model-2",
    "timegpt-1-long-horizon": "forecast-model-3",
    "timegpt-2-mini": "forecast-model-2",
    "timegpt-2": "forecast-model-2",
    DEFAULT_TIMEGPT_MODEL: "forecast-model-2",
    "timegpt-2-pro": "forecast-model-1",
    **{model_id: model_id for model_id in MODEL_IDS},
}
# Points that the SDK cuts histories to, and the horizon beyond which it warns.
INPUT_SIZE, HORIZON = MAX_HISTORY_POINTS, MAX_HORIZON
