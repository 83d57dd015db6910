// The data panel: text that is pasted, dropped or an example, and how it was read.

import { showError } from "./messages.js";
import { decodeFile } from "./reading/decode.js";
import { readSeries } from "./reading.js";
import { showReading } from "./reading-view.js";

const READ_AFTER_MS = 200;

const element = (id) => document.getElementById(id);

export class DataPanel {
  #choices = {};

  /**
   * @param {import("./spacing.js").Unit[]} units
   * @param {number} maxPoints
   * @param {() => void} onChange called with every new reading
   */
  constructor(units, maxPoints, onChange) {
    this.units = units;
    this.maxPoints = maxPoints;
    this.onChange = onChange;
    this.#listen();
  }

  /** The points to be sent: those that were read, and the holes filled if that is wanted. */
  get points() {
    return this.reading.points;
  }

  get fillsHoles() {
    return this.reading.fill !== "";
  }

  get title() {
    const example = element("example").selectedOptions[0];
    return example.value ? example.textContent : "Your series";
  }

  /** Load the example that is chosen; gives its option. */
  async loadExample() {
    const option = element("example").selectedOptions[0];
    element("source").textContent = option.dataset.source ?? "";
    if (!option.value) {
      this.#put("");
      element("text").focus();
      return option;
    }
    const response = await fetch(option.value);
    this.#put(response.ok ? await response.text() : "");
    return option;
  }

  /** Select a line of the text and go there. */
  goToLine(line) {
    const text = element("text");
    const lines = text.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + lines[line - 1].length);
    text.scrollTop = (text.scrollHeight / lines.length) * (line - 3);
  }

  #listen() {
    let timer;
    element("text").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#own(element("text").value), READ_AFTER_MS);
    });
    element("file").addEventListener("change", ({ target }) => this.#takeFile(target.files[0]));
    const zone = element("text");
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
      zone.addEventListener(kind, (event) => {
        event.preventDefault();
        zone.classList.toggle("dropping", kind === "dragenter" || kind === "dragover");
      });
    }
    zone.addEventListener("drop", ({ dataTransfer }) => this.#takeDrop(dataTransfer));
    element("questions").addEventListener("change", ({ target }) => {
      this.#choices[target.name] = target.value;
      this.#read();
    });
  }

  async #takeFile(file) {
    if (!file) return;
    const { text, refusal } = decodeFile(file.name, new Uint8Array(await file.arrayBuffer()));
    if (refusal) showError("text", refusal);
    else this.#own(text);
  }

  #takeDrop(transfer) {
    if (transfer.files.length > 0) this.#takeFile(transfer.files[0]);
    else this.#own(transfer.getData("text/plain"));
  }

  #own(text) {
    element("example").value = "";
    element("source").textContent = "";
    this.#put(text);
  }

  #put(text) {
    if (element("text").value !== text) element("text").value = text;
    this.#choices = {};
    this.#read();
  }

  #read() {
    this.reading = readSeries(element("text").value, this.units, {
      ...this.#choices,
      maxPoints: this.maxPoints,
      thisYear: new Date().getFullYear(),
    });
    showReading(this.reading, (line) => this.goToLine(line));
    this.onChange();
  }
}
