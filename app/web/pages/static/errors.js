// Searches the errors, and unfolds the target of a link.

import { element, findAll } from "./dom.js";

const MAX_UNFOLDED = 3; // hits

const form = element("search");
const query = element("query");
const hits = element("hits");
const unfold = element("unfold");
const groups = findAll("main > section > details").map((details) => ({
  details,
  section: details.parentElement,
  status: details.dataset.status,
  errors: findAll("article", details).map((article) => ({
    article,
    details: article.querySelector("details"),
    text: article.textContent.toLowerCase(),
  })),
}));
const statuses = new Set(groups.map((group) => group.status));
const count = groups.reduce((sum, group) => sum + group.errors.length, 0);

/** Shows the errors that contain all words; a word that is a status must be the error's status. */
function searchErrors() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (group, text) =>
    words.every((word) => (statuses.has(word) ? word === group.status : text.includes(word)));
  const hitErrors = [];
  for (const group of groups) {
    const fitting = group.errors.filter((error) => has(group, error.text));
    for (const error of group.errors) error.article.hidden = !fitting.includes(error);
    // A status without an example is searched by its own text.
    const own = group.section.textContent.toLowerCase();
    group.section.hidden = !fitting.length && !(group.errors.length === 0 && has(group, own));
    hitErrors.push(...fitting);
  }
  unfoldOnly((details) => words.length > 0 && details.dataset.status !== undefined);
  if (words.length && hitErrors.length <= MAX_UNFOLDED) for (const error of hitErrors) error.details.open = true;
  hits.textContent = describeHits(words, hitErrors.length);
}

function describeHits(words, number) {
  if (words.length === 0) return `${count} errors.`;
  if (groups.every((group) => group.section.hidden)) {
    return `Nothing found for “${query.value.trim()}”. Send fewer words, or a field of the response.`;
  }
  return `${number} of ${count} errors.`;
}

/** Open the details that `isOpen` accepts, and close the others. */
function unfoldOnly(isOpen) {
  for (const details of findAll("main details")) details.open = isOpen(details);
  nameButton();
}

function nameButton() {
  unfold.textContent = isUnfolded() ? "Fold all" : "Unfold all";
}

const isUnfolded = () => groups.every((group) => group.section.hidden || group.details.open);

/** Unfolds the target of the address, also if a search has hidden it. */
function followLink() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest("[hidden]")) {
    query.value = "";
    searchErrors();
  }
  for (let details = target.closest("details"); details; details = details.parentElement.closest("details")) {
    details.open = true;
  }
  nameButton();
  target.scrollIntoView();
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
query.addEventListener("input", searchErrors);
unfold.addEventListener("click", () => {
  const open = !isUnfolded();
  unfoldOnly(() => open);
});
window.addEventListener("hashchange", followLink);
searchErrors();
followLink();
