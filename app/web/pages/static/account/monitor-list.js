// The list of monitors, kept fresh: the page is asked for again, and its list put in place.

import { Refresher } from "../monitors/refresher.js";
import { ask, tell } from "./ask.js";

const live = document.getElementById("live");
const rows = (place) => [...place.querySelectorAll("tbody tr")];
const nameOf = (row) => row.querySelector("a").dataset.name;
const stateOf = (row) => [...row.querySelectorAll(".state")].map((mark) => mark.textContent).join(" and ");

async function refresh() {
  const response = await ask(location.href, async (response) =>
    new DOMParser().parseFromString(await response.text(), "text/html"),
  );
  if (response.status === 200) replace(response.body.getElementById("live"));
  return response.status === 200 ? null : response;
}

function replace(fresh) {
  tellChanges(fresh);
  const focused = document.activeElement?.closest("#live a")?.getAttribute("href");
  const top = live.querySelector(".scroll")?.scrollTop;
  live.replaceChildren(...fresh.childNodes);
  const scrolled = live.querySelector(".scroll");
  if (scrolled && top) scrolled.scrollTop = top;
  if (!focused) return;
  const links = [...live.querySelectorAll("a")];
  links.find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
}

/** Read out what is otherwise only seen. */
function tellChanges(fresh) {
  const before = new Map(rows(live).map((row) => [nameOf(row), stateOf(row)]));
  const changes = rows(fresh)
    .filter((row) => before.has(nameOf(row)) && before.get(nameOf(row)) !== stateOf(row))
    .map((row) => `${nameOf(row)} is ${stateOf(row)}.`);
  if (changes.length > 0) document.getElementById("news").textContent = changes.join(" ");
}

new Refresher(refresh, tell).startFresh();
