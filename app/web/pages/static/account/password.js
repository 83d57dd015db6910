// Buttons that show and hide a typed password.

import { element, findAll } from "../dom.js";

for (const button of findAll("[data-shows]")) {
  const field = element(button.dataset.shows);
  button.hidden = false;
  button.addEventListener("click", () => {
    const isShown = field.type === "password";
    field.type = isShown ? "text" : "password";
    button.setAttribute("aria-pressed", String(isShown));
    field.focus();
  });
  // The browser sends and remembers the field as a password.
  field.form.addEventListener("submit", () => {
    field.type = "password";
  });
}
