// The results below the chart: legend, table, file, code.

import { downloadName } from "../charts/picture.js";
import { create, element, findAll } from "../dom.js";
import { saveFile } from "./saving.js";
import { writeSnippet } from "./snippets.js";
import { fillTable, toCsv } from "./table.js";

const COPIED_MS = 2000;

/**
 * @typedef {object} ShownResults
 * @property {HTMLElement[]} legend by `legendEntry`
 * @property {import("./table.js").Table|null} table null where nothing has been received
 * @property {() => {name: string, columns: string[], rows: any[][]}} file what is downloaded, `name` behind that of
 *     the data
 * @property {{delimiter: string, mark: "."|","}} form of that file
 * @property {string|null} [problem] why there is no request yet, or it would be rejected
 * @property {{url: string, headers: object, body: object, printing: string}} request
 */

/** The results of a tab, below the chart. */
export class Results {
  #copiedTimer;

  constructor() {
    this.shown = null;
    element("download").addEventListener("click", () => this.#download());
    element("copy").addEventListener("click", () => this.#copy());
    for (const radio of document.querySelectorAll("#languages input")) {
      radio.addEventListener("change", () => this.#showSnippet());
    }
  }

  /** @param {ShownResults} shown */
  show(shown) {
    this.shown = shown;
    const { id } = document.activeElement;
    element("legend").replaceChildren(...shown.legend);
    if (id) element(id)?.focus(); // a button of the legend, which is another now
    element("numbers").hidden = !shown.table;
    if (shown.table) fillTable(element("table"), shown.table);
    else element("table").replaceChildren();
    this.#showSnippet();
  }

  #showSnippet() {
    const problem = this.shown?.problem;
    element("code").textContent = problem ? `No code yet. ${problem}` : this.#snippet({ shortened: true });
    element("copy").disabled = Boolean(problem);
  }

  #snippet(options) {
    const language = findAll("#languages input:checked")[0].value;
    return this.shown ? writeSnippet(language, this.shown.request, options) : "";
  }

  async #copy() {
    const label = (text) => (element("copy").textContent = text);
    label("Copy");
    await copyText(this.#snippet());
    label("Copied");
    // The timer of an earlier copy would end too early.
    clearTimeout(this.#copiedTimer);
    this.#copiedTimer = setTimeout(() => label("Copy"), COPIED_MS);
  }

  #download() {
    const { name, columns, rows } = this.shown.file();
    const file = new Blob([toCsv(columns, rows, this.shown.form)], { type: "text/csv" });
    saveFile(downloadName(element("chart-title").textContent, name, "csv"), file);
  }
}

/** Browsers offer the clipboard only to secure pages; elsewhere a selection is copied. */
async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = create("textarea", { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
