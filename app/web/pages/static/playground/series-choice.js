// The choice of the drawn series among many.

import { create, element } from "../dom.js";

/** The list of series with checkboxes. */
export class SeriesChoice {
  #names = [];
  #chosen = new Set();
  /** @type {HTMLLabelElement[]} */
  #labels = [];

  /**
   * @param {number} max how many may be chosen
   * @param {() => void} onChange
   */
  constructor(max, onChange) {
    this.max = max;
    this.onChange = onChange;
    element("choice-list").addEventListener("change", ({ target: { value, checked } }) => {
      if (checked) this.#chosen.add(value);
      else this.#chosen.delete(value);
      this.#showChoice();
      onChange();
    });
    element("choice-none").addEventListener("click", () => {
      this.#chosen.clear();
      this.#showChoice();
      onChange();
    });
    element("choice-filter").addEventListener("input", () => this.#filter());
  }

  /** Offer series; the choice is kept if they are the same as before. */
  offer(names) {
    element("choice").hidden = names.length <= this.max;
    if (String(names) === String(this.#names)) return;
    this.#names = names;
    this.#chosen = new Set(names.slice(0, this.max));
    this.#labels = names.length > this.max ? names.map(choiceLabel) : [];
    element("choice-list").replaceChildren(...this.#labels);
    element("choice-filter").value = "";
    element("choice").open = false;
    this.#showChoice();
  }

  /** The chosen names, in the order of the table. */
  get names() {
    return this.#names.filter((name) => this.#chosen.has(name));
  }

  #showChoice() {
    const isFull = this.#chosen.size >= this.max;
    for (const { control } of /** @type {any[]} */ (this.#labels)) {
      control.checked = this.#chosen.has(control.value);
      control.disabled = isFull && !control.checked;
    }
    const maximum = isFull ? " (the maximum)" : "";
    element("choice-count").textContent = `${this.#chosen.size} of ${this.#names.length} series drawn${maximum}.`;
  }

  #filter() {
    const wanted = element("choice-filter").value.trim().toLowerCase();
    for (const label of this.#labels) label.hidden = !label.textContent.toLowerCase().includes(wanted);
  }
}

function choiceLabel(name) {
  return create("label", {}, create("input", { type: "checkbox", value: name, autocomplete: "off" }), ` ${name}`);
}
