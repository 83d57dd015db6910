// Clicks on buttons that move during the press, as after a reading: the browser itself clicks nothing then.

/** A pointer that moves further was dragged off the button. */
const MAX_MOVE_PX = 10;

/** The button that was pressed last, and where. */
let press = { button: null, x: 0, y: 0 };

/** Click a pressed button that has moved away from the pointer. */
export function keepPresses() {
  document.addEventListener("pointerdown", (/** @type {any} */ { target, button, clientX: x, clientY: y }) => {
    press = { button: button === 0 ? target.closest("button") : null, x, y };
  });
  document.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
    const isAway = press.button && !press.button.contains(document.elementFromPoint(x, y));
    if (isAway && Math.hypot(x - press.x, y - press.y) <= MAX_MOVE_PX) press.button.click();
  });
}
