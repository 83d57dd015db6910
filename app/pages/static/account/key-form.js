// The field for a date is shown only where "On a date" is chosen.

import { element, findAll } from "../dom.js";

const choice = element("expires_in");
const day = findAll("[data-shown-for]")[0];

function show() {
  day.hidden = choice.value !== day.dataset.shownFor;
}

if (choice && day) {
  show();
  choice.addEventListener("change", show);
}

// A form that was sent is not sent again by a second click: it would make a second key.
for (const form of findAll('form[method="post"]')) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
  });
}
addEventListener("pageshow", () => {
  for (const form of findAll("[data-sent]")) delete form.dataset.sent;
});
