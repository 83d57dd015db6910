// Scrolling to what has just come.

/** Scroll to an element unless it begins in the upper half of the window. */
export function bringIntoView(id) {
  const element = document.getElementById(id);
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) element.scrollIntoView();
}
