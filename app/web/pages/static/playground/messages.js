// Errors beside the control that they concern.

import { create, element, findAll } from "../dom.js";

/** What an error can stand beside, in the page's order; `form` is for what no control can correct. */
const CONTROLS = findAll('.error[id$="-error"]').map(({ id }) => id.slice(0, -"-error".length));

/** Remove all errors from the page. */
export function clearErrors() {
  CONTROLS.forEach(clearError);
}

/**
 * Put an error beside its control.
 *
 * @param {string} control one of CONTROLS
 * @param {(string|Node)[]} content
 */
export function showError(control, ...content) {
  const paragraph = create("p", {}, ...content);
  boxOf(control).append(paragraph);
  const input = element(control);
  if (input.matches("input, select, textarea")) input.setAttribute("aria-invalid", "true");
  return paragraph;
}

/** Remove the error of a control. */
function clearError(control) {
  boxOf(control).replaceChildren();
  element(control).removeAttribute("aria-invalid");
}

/** Remove the error of a control of `form` when it changes, and that of the data, which settings may cause. */
export function clearErrorsOnInput(form) {
  form.addEventListener("input", ({ target }) => {
    const control = CONTROLS.find((name) => element(name).contains(target));
    if (!control || control === form.id) return;
    clearError(control);
    if (control !== "key") clearError("text");
  });
}

/** Go to the first control that has an error. */
export function focusFirstError() {
  const control = CONTROLS.find((name) => name !== "form" && boxOf(name).hasChildNodes());
  if (!control) return;
  const input = element(control);
  (input.matches("fieldset") ? input.querySelector("input") : input).focus();
  boxOf(control).scrollIntoView({ block: "nearest" });
}

/** Count down in `paragraph` until nothing is left, then call `whenOver`. */
export function countDown(paragraph, seconds, whenOver) {
  const end = Date.now() + seconds * 1000;
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left <= 0) {
      clearInterval(timer);
      whenOver();
    } else {
      paragraph.textContent = `Try again in ${left} s.`;
    }
  };
  const timer = setInterval(tick, 500);
  tick();
}

function boxOf(control) {
  return element(`${control}-error`);
}
