// Which of many series are drawn: the first ones, or those that are chosen.

import { element } from "../dom.js";

export class SeriesChoice {
  #names = [];
  #chosen = new Set();
  /** @type {HTMLLabelElement[]} */
  #labels = [];

  /**
   * @param {number} most how many may be chosen
   * @param {() => void} onChange
   */
  constructor(most, onChange) {
    this.most = most;
    this.onChange = onChange;
    element("choice-list").addEventListener("change", ({ target: { value, checked } }) => {
      if (checked) this.#chosen.add(value);
      else this.#chosen.delete(value);
      this.#tell();
      onChange();
    });
    element("choice-none").addEventListener("click", () => {
      this.#chosen.clear();
      this.#tell();
      onChange();
    });
    element("choice-filter").addEventListener("input", () => this.#filter());
  }

  /** Offer series: the same ones again leave what was chosen. */
  offer(names) {
    element("choice").hidden = names.length <= this.most;
    if (String(names) === String(this.#names)) return;
    this.#names = names;
    this.#chosen = new Set(names.slice(0, this.most));
    this.#labels = names.length > this.most ? names.map(labelled) : [];
    element("choice-list").replaceChildren(...this.#labels);
    element("choice-filter").value = "";
    element("choice").open = false;
    this.#tell();
  }

  /** The names of those that are chosen, in the order of the table. */
  get names() {
    return this.#names.filter((name) => this.#chosen.has(name));
  }

  #tell() {
    const isFull = this.#chosen.size >= this.most;
    for (const { control } of /** @type {any[]} */ (this.#labels)) {
      control.checked = this.#chosen.has(control.value);
      control.disabled = isFull && !control.checked;
    }
    const most = isFull ? ` (the maximum)` : "";
    element("choice-count").textContent = `${this.#chosen.size} of ${this.#names.length} series chosen${most}.`;
  }

  #filter() {
    const wanted = element("choice-filter").value.trim().toLowerCase();
    for (const label of this.#labels) label.hidden = !label.textContent.toLowerCase().includes(wanted);
  }
}

function labelled(name) {
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, autocomplete: "off" });
  label.append(box, ` ${name}`);
  return label;
}
