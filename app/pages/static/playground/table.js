// Forecasts as rows: for the table on the page and for the file.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** A value as people read it. */
export function formatNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e9 || size < 1e-4) ? value.toPrecision(6) : number.format(value);
}

/** A timestamp of the service as short as it can be: a date alone at midnight. */
export function shortenTimestamp(timestamp) {
  return timestamp.replace(/T00:00:00|:00(?=Z|[+-]|$)/, "").replace("T", " ");
}

/** All forecasts as one CSV text, a row a model and period. */
export function toCsv(forecasts) {
  const header = "model,timestamp,lower_bound,median,upper_bound";
  const rows = forecasts.flatMap(({ model, answer }) =>
    answer.forecast_timestamps.map((timestamp, i) =>
      [model, timestamp, answer.lower_bound[i], answer.median[i], answer.upper_bound[i]].join(","),
    ),
  );
  return [header, ...rows].join("\r\n") + "\r\n";
}

/** Fill `table` with a row a period and three columns a model. */
export function fillTable(table, forecasts, confidence) {
  const head = document.createElement("thead");
  const models = head.insertRow();
  models.append(headerCell("Period", { rowSpan: 2, scope: "col" }));
  const columns = head.insertRow();
  for (const { model } of forecasts) {
    models.append(headerCell(model, { colSpan: 3, scope: "colgroup" }));
    for (const name of ["Lower", "Median", "Upper"]) {
      columns.append(headerCell(name, { scope: "col" }));
    }
  }
  const body = document.createElement("tbody");
  const periods = forecasts[0]?.answer.forecast_timestamps ?? [];
  periods.forEach((timestamp, i) => {
    const row = body.insertRow();
    row.append(headerCell(shortenTimestamp(timestamp), { scope: "row" }));
    for (const { answer } of forecasts) {
      for (const column of [answer.lower_bound, answer.median, answer.upper_bound]) {
        row.insertCell().textContent = formatNumber(column[i]);
      }
    }
  });
  const caption = document.createElement("caption");
  caption.textContent = `Forecast with ${Math.round(confidence * 100)} % intervals`;
  table.replaceChildren(caption, head, body);
}

function headerCell(text, properties) {
  return Object.assign(document.createElement("th"), { textContent: text, ...properties });
}
