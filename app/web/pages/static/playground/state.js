// The state that the tabs share: data, chart, results, key, and errors.

import { axisOfMonthEnds } from "../charts/month-ends.js";
import { element } from "../dom.js";
import { describeSeries } from "./series-format.js";
import { locateErrors } from "./errors.js";
import { checkFrequency } from "./frequency.js";
import { readKey, showLimits } from "./key.js";
import { inLocalTime } from "./local-times.js";
import { clearErrors, countDown, focusFirstError, showError } from "./messages.js";
import { withButtons } from "./reading-view.js";
import { sendRequest } from "./request.js";

/**
 * @typedef {object} Task what a tab or a button does
 * @property {() => void|Promise<void>} refresh shows what belongs to the controls as they are now
 * @property {(key: string) => Promise<void>} request sends what the controls describe, and shows it
 * @property {() => import("./reading.js").Reading} [reading] what may hinder it, unless that is the series shown
 */

/** The state that the tabs share. */
export class PlaygroundState {
  /** The buttons of tasks: disabled while one is under way. */
  #buttons = [element("go")];
  #isRunning = false;
  #format = null;
  /** The reading and the frequency that `#format` describes. */
  #described = { reading: null, frequency: "" };

  /**
   * @param {import("../charts/chart.js").Chart} chart
   * @param {import("./results.js").Results} results
   * @param {import("./data-panel.js").DataPanel} data
   * @param {() => Task} current what the chosen tab does
   */
  constructor(chart, results, data, current) {
    this.chart = chart;
    this.results = results;
    this.data = data;
    this.current = current;
  }

  /** The format of responses about the current series. */
  get format() {
    const { reading } = this.data;
    const { value: frequency, dataset } = element("frequency").selectedOptions[0];
    if (this.#described.reading !== reading || this.#described.frequency !== frequency) {
      this.#format = describeSeries(reading, { frequency, noun: dataset.noun });
      this.#described = { reading, frequency };
    }
    return this.#format;
  }

  /** Make a button run a task. */
  addTaskButton(id, task) {
    this.#buttons.push(element(id));
    element(id).addEventListener("click", () => this.run({ task }));
  }

  /**
   * Let the chosen tab ask, or another task; unless one is asking, or nothing can be sent.
   *
   * @param {{task?: Task, focuses?: boolean}} options what is wrong gets the focus if `focuses`
   */
  async run({ task = this.current(), focuses = true } = {}) {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const pressed = this.#buttons.find((button) => button === document.activeElement);
    for (const button of this.#buttons) button.disabled = true;
    clearErrors();
    try {
      await this.data.finishReading();
      const { problem, asks } = task.reading?.() ?? this.data.reading;
      if (problem) showError("text", ...withButtons(problem));
      const key = readKey();
      const fits = Boolean(task.reading) || problem || checkFrequency(this);
      if (key !== null && !problem && fits) await task.request(key);
      if (focuses && asks) element(`ask-${asks}`).focus();
      else if (focuses) focusFirstError();
    } finally {
      this.#isRunning = false;
      for (const button of this.#buttons) button.disabled = false;
      // A disabled button loses the focus.
      if (pressed && document.activeElement === document.body) pressed.focus({ preventScroll: true });
    }
  }

  /** Send a request and show the remaining ones; input during it is read before it returns. */
  async send(request, key) {
    const { clock } = this.data.reading;
    const response = await sendRequest(request, key);
    if (clock && request.body) response.body = inLocalTime(clock, response.body);
    showLimits(response.limits, key);
    await this.data.finishReading();
    return response;
  }

  /** Whether a tab still shows these points; if not, say which button to press again. */
  isCurrent(tab, points, button) {
    if (this.current() !== tab) return false;
    if (this.data.points === points) return true;
    this.showStatus(`The data have changed meanwhile. Press ${button} again.`);
    return false;
  }

  /** Draw the series, with `layers` over it as the tab wants them; `describedBy` is the id of its text. */
  async draw({ describedBy = "status", ...options }) {
    const { points, missing, isFilled } = this.data.reading;
    for (const id of ["chart", "zoom", "picture-as", "legend"]) element(id).hidden = points.length === 0;
    if (points.length === 0) return;
    element("chart").setAttribute("aria-labelledby", `chart-title ${describedBy}`);
    const { figures, valueName } = this.format;
    const gaps = isFilled ? [] : missing;
    await this.chart.draw({ points, gaps, figures, valueName, ...axisOfMonthEnds(this.data.reading), ...options });
  }

  /** Show a status; the same text twice is announced once. */
  showStatus(text) {
    if (element("status").textContent !== text) element("status").textContent = text;
  }

  showFailure(response) {
    const defects = locateErrors(response);
    for (const { control, text } of defects) showError(control, text);
    if (response.retryAfter) {
      const paragraph = showError(defects[0].control);
      countDown(paragraph, response.retryAfter, () => (paragraph.textContent = "Try again now."));
    }
  }
}
