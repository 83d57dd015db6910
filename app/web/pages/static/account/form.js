// A form of the dashboard: fields that depend on a choice, and no second sending.

import { element, findAll } from "../dom.js";
import { shortDuration } from "../words.js";

// What belongs to one choice of a list is shown only where that is chosen.
for (const place of findAll("[data-shown-for]")) {
  const choice = element(place.dataset.shownWith);
  const show = () => {
    place.hidden = choice.value !== place.dataset.shownFor;
  };
  if (!choice) continue;
  show();
  choice.addEventListener("change", show);
}

// How long the steps ahead of a query's limit are.
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

// A file that is dropped on a text is read into it.
for (const text of findAll("textarea")) {
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", async (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    text.value = await file.text();
  });
}
