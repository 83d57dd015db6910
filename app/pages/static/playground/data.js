// The data panel: text that is pasted, dropped or an example, and how it was read.

import { showError } from "./messages.js";
import { decodeFile } from "./reading/decode.js";
import { ALL } from "./reading/series-names.js";
import { readSeries } from "./reading.js";
import { showReading } from "./reading-view.js";

const READ_AFTER_MS = 200;

const element = (id) => document.getElementById(id);

export class DataPanel {
  #choices = {};
  /** Name of the file that the text is from. */
  #file = "";

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
    if (example.value) return example.textContent;
    const { series, valueName } = this.reading;
    const whole = series?.chosen === ALL ? `${series.names.length} series added up` : series?.chosen;
    return [this.#file || valueName || "Your data", whole].filter(Boolean).join(" · ");
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
    element("file").addEventListener("change", async ({ target }) => {
      await this.#takeFile(target.files[0]);
      target.value = ""; // the same file, saved anew, can be chosen again
    });
    // A file is taken wherever it falls: the browser would open it and leave the page.
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
      document.addEventListener(kind, (event) => {
        const { dataTransfer, target } = event;
        const isFile = dataTransfer.types.includes("Files");
        if (!isFile && target !== element("text")) return;
        event.preventDefault();
        element("text").classList.toggle("dropping", kind === "dragenter" || kind === "dragover");
        if (kind !== "drop") return;
        if (isFile) this.#takeFile(dataTransfer.files[0]);
        else this.#own(dataTransfer.getData("text/plain"));
      });
    }
    element("questions").addEventListener("change", ({ target }) => {
      this.#choices[target.name] = target.value;
      this.#read();
    });
  }

  async #takeFile(file) {
    if (!file) return;
    const { text, refusal } = decodeFile(file.name, new Uint8Array(await file.arrayBuffer()));
    this.#own(refusal ? "" : text, refusal ? "" : file.name);
    if (!refusal) return;
    showError("text", refusal);
    element("text-error").scrollIntoView({ block: "nearest" });
  }

  #own(text, file = "") {
    this.#file = file;
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
