// Errors beside the control that they concern.

/** What an error can stand beside, in the page's order; `form` is for what no control can mend. */
const CONTROLS = [...document.querySelectorAll('.error[id$="-error"]')].map(({ id }) =>
  id.slice(0, -"-error".length),
);

/** Take all errors off the page. */
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
  const paragraph = document.createElement("p");
  paragraph.append(...content);
  boxOf(control).append(paragraph);
  const element = document.getElementById(control);
  if (element.matches("input, select, textarea")) element.setAttribute("aria-invalid", "true");
  return paragraph;
}

/** Take the error of one control off the page: what was wrong with it has been changed. */
function clearError(control) {
  boxOf(control).replaceChildren();
  document.getElementById(control).removeAttribute("aria-invalid");
}

/** Let changing a control of `form` take its error away, and that of the data, which settings cause too. */
export function clearErrorsOnInput(form) {
  form.addEventListener("input", ({ target }) => {
    const control = CONTROLS.find((name) => document.getElementById(name).contains(target));
    if (!control || control === form.id) return;
    clearError(control);
    if (control !== "key") clearError("text");
  });
}

/** Go to the first control that has an error. */
export function focusFirstError() {
  const control = CONTROLS.find((name) => name !== "form" && boxOf(name).hasChildNodes());
  if (!control) return;
  const element = document.getElementById(control);
  (element.matches("fieldset") ? element.querySelector("input") : element).focus();
}

/** Count down in `element` until nothing is left, then call `whenOver`. */
export function countDown(element, seconds, whenOver) {
  const end = Date.now() + seconds * 1000;
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left <= 0) {
      clearInterval(timer);
      whenOver();
    } else {
      element.textContent = `Try again in ${left} s.`;
    }
  };
  const timer = setInterval(tick, 500);
  tick();
}

function boxOf(control) {
  return document.getElementById(`${control}-error`);
}
