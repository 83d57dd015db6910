"""A notebook as a script: each `# %%` is a cell in Jupyter, VS Code or PyCharm.

    FORECAST_KEY=$(cat instance/demo-key) .venv/bin/python docs/clients/notebook.py

runs it from the project's folder against the service of `make run`, and writes forecast.html. It
draws by Plotly, which the service installs anyway for its own pages, and asks by `requests`
(`.venv/bin/pip install requests`).
"""

# %% The history: international airline passengers, thousands a month.
import pandas as pd
import plotly.graph_objects as go
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
COLOURS = {"forecast-model-1": "29, 78, 216", "forecast-model-3": "15, 118, 110"}

figure = go.Figure(go.Scatter(x=history.index, y=history, name="history", line_color="#444"))
for model, periods in forecasts.items():
    colour = COLOURS[model]
    figure.add_scatter(
        x=periods.index, y=periods["median"], name=model, line_color=f"rgb({colour})"
    )
    figure.add_scatter(
        x=[*periods.index, *periods.index[::-1]],
        y=[*periods["upper_bound"], *periods["lower_bound"][::-1]],
        name=f"{model}, 95 %",
        fill="toself",
        fillcolor=f"rgba({colour}, 0.15)",
        line_width=0,
        hoverinfo="skip",
    )
figure.update_layout(title="Airline passengers", yaxis_title="thousands a month", hovermode="x")
figure.write_html("forecast.html")
figure

# %% The months forecast to be the strongest, with how sure the first model is of them.
strongest = forecasts["forecast-model-1"].nlargest(3, "median").round(1)
print(strongest)
