"""A notebook as a script: each `# %%` is a cell in Jupyter, VS Code or PyCharm.

    FORECAST_KEY=$(cat instance/demo-key) .venv/bin/python docs/clients/notebook.py

runs it from the project's folder against the service of `make run`, and writes forecast.png. It
draws by Matplotlib and asks by `requests` (`.venv/bin/pip install matplotlib requests`).
"""

# %% The history: international airline passengers, thousands a month.
import matplotlib.pyplot as plt
import pandas as pd
from forecast_series import forecast

history = pd.read_csv(
    "app/web/pages/static/sample-series/airline-passengers.csv", index_col=0, parse_dates=True
).iloc[:, 0]
history.tail()

# %% Two models, each in one request.
forecasts = {
    model: forecast(history, "Monthly", 24, model=model)
    for model in ("forecast-model-1", "forecast-model-3")
}
forecasts["forecast-model-1"].head()

# %% History, medians and intervals in one picture.
figure, axes = plt.subplots(figsize=(10, 5))
axes.plot(history.index, history, color="#444", label="history")
for (model, periods), colour in zip(forecasts.items(), ("#1d4ed8", "#0f766e"), strict=True):
    axes.plot(periods.index, periods["median"], color=colour, label=model)
    bounds = periods["lower_bound"], periods["upper_bound"]
    axes.fill_between(periods.index, *bounds, color=colour, alpha=0.15, label=f"{model}, 95 %")
axes.set(title="Airline passengers", ylabel="thousands a month")
axes.legend()
figure.savefig("forecast.png")
figure

# %% The months forecast to be the strongest, with how sure the first model is of them.
strongest = forecasts["forecast-model-1"].nlargest(3, "median").round(1)
print(strongest)
