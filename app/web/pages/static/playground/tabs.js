// Tabs: one is chosen by pointer, by arrow keys, or by the address (#anomalies).

import { findAll } from "../dom.js";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** The tabs of the page, and the parts that belong to them. */
export class Tabs {
  /**
   * @param {HTMLElement} list contains the tabs; `data-name` of each is its name in the address
   * @param {HTMLElement} panel contains what they show: an element with `data-tab` is only of that tab
   * @param {() => void} onChange called when another tab is chosen
   */
  constructor(list, panel, onChange) {
    this.panel = panel;
    this.tabs = findAll('[role="tab"]', list);
    this.onChange = onChange;
    list.addEventListener("keydown", (event) => this.#onKey(event));
    for (const tab of this.tabs) tab.addEventListener("click", () => this.#choose(tab));
    window.addEventListener("hashchange", () => this.#select(this.#addressedTab() ?? this.#selectedTab()));
    this.#showSelected(this.#addressedTab() ?? this.tabs[0]);
  }

  get current() {
    return this.#selectedTab().dataset.name;
  }

  #selectedTab() {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
  }

  /** The tab that the address names, if any. */
  #addressedTab() {
    return this.tabs.find((tab) => `#${tab.dataset.name}` === location.hash);
  }

  #onKey(event) {
    const { length } = this.tabs;
    const index = this.tabs.indexOf(this.#selectedTab());
    const ends = { Home: 0, End: length - 1 };
    const next = ends[event.key] ?? (index + STEPS[event.key] + length) % length;
    if (Number.isNaN(next)) return;
    event.preventDefault();
    this.#choose(this.tabs[next]);
    this.tabs[next].focus();
  }

  /** Select a tab, and name it in the address for a bookmark. */
  #choose(tab) {
    history.replaceState(history.state, "", `#${tab.dataset.name}`);
    this.#select(tab);
  }

  #select(tab) {
    if (tab === this.#selectedTab()) return;
    this.#showSelected(tab);
    this.onChange();
  }

  #showSelected(chosen) {
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", chosen.id);
    for (const element of findAll("[data-tab]", this.panel)) {
      const isElsewhere = element.dataset.tab !== chosen.dataset.name;
      // Parts for results are shown only if there are results, too.
      if (isElsewhere || !("isForResults" in element.dataset)) element.hidden = isElsewhere;
    }
  }
}
