// Refreshes the parts of a page that change, by fetching the page again.

import { element, findAll } from "../dom.js";
import { fetchPage } from "./fetching.js";

const FOCUSABLE = "a, button, summary, [tabindex]";

/** The parts of the open page, and their refresh from the service. */
export class LivePage {
  /** The HTML of each part as it was served: scripts may change a part after that. */
  #served = new Map(findAll("[data-live]").map((part) => [part.id, part.innerHTML]));

  /** @param {(part: HTMLElement) => void} [prepare] prepares a part that was replaced */
  constructor(prepare = () => {}) {
    this.prepare = prepare;
  }

  /** Fetch the page and show its changes; returns the response if it is a failure. */
  async refresh() {
    const response = await this.fetch();
    if (response.status !== 200) return response;
    this.show(response.body);
    return null;
  }

  fetch() {
    return fetchPage(location.href);
  }

  /** @param {Document} page the same page, fetched again */
  hasChanged(page) {
    return [...this.#served].some(([id, html]) => page.getElementById(id).innerHTML !== html);
  }

  /** @param {Document} page the same page, fetched again */
  show(page) {
    announceStates(document, page);
    for (const [id, html] of this.#served) {
      const fresh = page.getElementById(id);
      if (fresh.innerHTML === html) continue;
      this.#served.set(id, fresh.innerHTML);
      this.#replace(element(id), fresh);
    }
  }

  /** Replace the content of a part; the focus, the scroll position and open details are kept. */
  #replace(part, fresh) {
    const focused = [...part.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
    const href = focused >= 0 ? document.activeElement.getAttribute("href") : null;
    const isOpen = part.querySelector("details")?.open;
    const top = part.querySelector(".scroll")?.scrollTop;
    part.replaceChildren(...fresh.childNodes);
    this.prepare(part);
    const details = part.querySelector("details");
    if (details) details.open = Boolean(isOpen);
    const scrolled = part.querySelector(".scroll");
    if (scrolled && top) scrolled.scrollTop = top;
    if (focused < 0) return;
    const choices = [...part.querySelectorAll(FOCUSABLE)];
    const sameLink = href && choices.find((choice) => choice.getAttribute("href") === href);
    (sameLink || choices[focused])?.focus({ preventScroll: true });
  }
}

/** Announce changed states of monitors to screen readers. */
function announceStates(before, after) {
  /** @type {(page: any) => [string, string][]} a document or its main part */
  const statesIn = (page) =>
    [...page.querySelectorAll("[data-monitor]")].map((place) => [
      place.dataset.monitor,
      [...place.querySelectorAll(".state")].map((mark) => mark.textContent).join(" and "),
    ]);
  const known = new Map(statesIn(before));
  const changes = statesIn(after)
    .filter(([name, state]) => known.has(name) && known.get(name) !== state)
    .map(([name, state]) => `${name} is ${state}.`);
  if (changes.length > 0) element("news").textContent = changes.join(" ");
}
