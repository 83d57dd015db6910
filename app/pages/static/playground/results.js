// What the service answered: legend, table, file, code.

import { writeSnippet } from "./snippets.js";
import { fillTable, formatNumber, shortenTimestamp, toCsv } from "./table.js";

const COPIED_MS = 2000;

const element = (id) => document.getElementById(id);

export class Results {
  #copiedTimer;

  /** @param {string} url of POST /forecast */
  constructor(url) {
    this.url = url;
    this.forecasts = [];
    this.request = null;
    element("download").addEventListener("click", () => this.#download());
    element("copy").addEventListener("click", () => this.#copy());
    for (const radio of document.querySelectorAll("#languages input")) {
      radio.addEventListener("change", () => this.#showSnippet());
    }
  }

  /**
   * Show forecasts of one request, and the request as code.
   *
   * @param {{model: string, slot: number, answer: object, notice: string|null}[]} forecasts
   * @param {{model: string, body: object}} request
   */
  show(forecasts, request) {
    this.forecasts = forecasts;
    this.request = { url: this.url, ...request };
    element("legend").replaceChildren(
      legendEntry("history", "History", ""),
      ...forecasts.map((forecast) => forecastEntry(forecast, request.body.confidence)),
    );
    element("numbers").hidden = forecasts.length === 0;
    fillTable(element("table"), forecasts, request.body.confidence);
    this.#showSnippet();
  }

  #showSnippet() {
    element("code").textContent = this.#snippet({ shortened: true });
  }

  #snippet(options) {
    const language = document.querySelector("#languages input:checked").value;
    return this.request ? writeSnippet(language, this.request, options) : "";
  }

  async #copy() {
    const say = (text) => (element("copy").textContent = text);
    say("Copy");
    await copyText(this.#snippet());
    say("Copied");
    // The timer of an earlier copy would take this one's word away too early.
    clearTimeout(this.#copiedTimer);
    this.#copiedTimer = setTimeout(() => say("Copy"), COPIED_MS);
  }

  #download() {
    const file = new Blob([toCsv(this.forecasts)], { type: "text/csv" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "forecast.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function forecastEntry({ model, slot, answer, notice, milliseconds }, confidence) {
  const last = answer.median.length - 1;
  const [low, middle, high] = [answer.lower_bound, answer.median, answer.upper_bound].map(
    (column) => formatNumber(column[last]),
  );
  const text =
    `${shortenTimestamp(answer.forecast_timestamps[last])}: ${middle}, ` +
    `${Math.round(confidence * 100)} % between ${low} and ${high} · ${milliseconds} ms`;
  const entry = legendEntry(`model-${slot + 1}`, model, text);
  if (notice) {
    const note = document.createElement("p");
    note.className = "notice";
    note.textContent = notice;
    entry.append(note);
  }
  return entry;
}

function legendEntry(key, name, text) {
  const entry = document.createElement("li");
  entry.className = `key-${key}`;
  const title = document.createElement("strong");
  title.textContent = name;
  entry.append(title, " ", text);
  return entry;
}

/** Browsers offer the clipboard to secure pages alone; elsewhere a selection is copied. */
async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
