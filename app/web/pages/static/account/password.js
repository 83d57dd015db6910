// Buttons that show what was typed into a field for a password, and hide it again.

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
  // What is sent and remembered by the browser is a password.
  field.form.addEventListener("submit", () => {
    field.type = "password";
  });
}
