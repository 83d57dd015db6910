// A form of the dashboard: fields that depend on a choice, and no second sending.

import { element, findAll } from "../dom.js";
import { shortDuration } from "../words.js";

// Parts that belong to one choice of a list are shown only while that is chosen.
for (const place of findAll("[data-shown-for]")) {
  const choice = element(place.dataset.shownWith);
  const show = () => {
    place.hidden = choice.value !== place.dataset.shownFor;
  };
  if (!choice) continue;
  show();
  choice.addEventListener("change", show);
}

// Shows the duration of the steps ahead of a query's limit.
if (document.querySelector("[data-horizon]")) {
  const [step, horizon, hint] = ["step", "horizon", "horizon-hint"].map(element);
  const text = hint.textContent;
  const show = () => {
    const seconds = Number(step.value) * Number(horizon.value);
    hint.textContent = seconds >= 1 ? `${text} These take ${shortDuration(seconds)}.` : text;
  };
  for (const input of [step, horizon]) input.addEventListener("input", show);
  show();
}

// A second click does not send a form again: it would create a second key.
for (const form of findAll('form[method="post"]')) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
  });
}
addEventListener("pageshow", () => {
  for (const form of findAll("[data-sent]")) delete form.dataset.sent;
});

// A file that is dropped on a text area is read into it.
for (const text of findAll("textarea")) {
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", async (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    text.value = await file.text();
  });
}
