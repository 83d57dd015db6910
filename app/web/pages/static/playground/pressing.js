// Buttons that are moved while they are pressed, as by a table that has just been read: the browser clicks nothing then.

/** A pointer that moves further before it is released was drawn off the button. */
const MAX_MOVE_PX = 10;

/** The button that was pressed last, and where. */
let press = { button: null, x: 0, y: 0 };

/** Click the button that was pressed, where it no longer is under the pointer that is released. */
export function keepPresses() {
  document.addEventListener("pointerdown", (/** @type {any} */ { target, button, clientX: x, clientY: y }) => {
    press = { button: button === 0 ? target.closest("button") : null, x, y };
  });
  document.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
    const isAway = press.button && !press.button.contains(document.elementFromPoint(x, y));
    if (isAway && Math.hypot(x - press.x, y - press.y) <= MAX_MOVE_PX) press.button.click();
  });
}
