// Clicks on controls that move during the press, as after a reading: the browser itself clicks nothing then.

/** A pointer that moves further was dragged off the control. */
const MAX_MOVE_PX = 10;
const MODIFIERS = ["ctrlKey", "metaKey", "shiftKey", "altKey"];
const PRESSABLE = "button, a, summary, input[type=checkbox], input[type=radio]";

/** The control that was pressed last, or its label, and where. */
let press = { control: null, x: 0, y: 0 };

/** Click a pressed control that has moved away from the pointer. */
export function keepPresses() {
  document.addEventListener("pointerdown", (/** @type {any} */ event) => {
    const { target, button, clientX: x, clientY: y } = event;
    // With a modifier, the browser opens a link elsewhere, which a click by script cannot.
    const isPlain = button === 0 && !MODIFIERS.some((modifier) => event[modifier]);
    press = { control: isPlain ? target.closest("label") ?? target.closest(PRESSABLE) : null, x, y };
  });
  document.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
    const isAway = press.control && !press.control.contains(document.elementFromPoint(x, y));
    if (isAway && Math.hypot(x - press.x, y - press.y) <= MAX_MOVE_PX) press.control.click();
  });
}
