// Filters the list while the user types: fetches the same page and shows its rows.

import { findAll } from "../dom.js";

const PAUSE_MS = 250;

const form = findAll("[data-filter]")[0];
let timer;
let request;

async function refreshList() {
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  const address = `${form.action}?${query}`;
  request?.abort();
  request = new AbortController();
  try {
    const response = await fetch(address, { signal: request.signal });
    if (response.redirected) return location.assign(address); // signed out: sign in, then see it
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const list = document.getElementById(form.dataset.filter);
    // The status element is kept, so that screen readers announce its new text.
    list.querySelector("[role=status]").innerHTML = page.querySelector("#found [role=status]").innerHTML;
    for (const old of [...list.children].slice(1)) old.remove();
    list.append(...[...page.getElementById(list.id).children].slice(1));
    history.replaceState(null, "", address);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(refreshList, PAUSE_MS);
});
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  refreshList();
});
