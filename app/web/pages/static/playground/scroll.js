// Scrolling to what has just come, and what shows that there is more.

/** Scroll to an element unless it begins in the upper half of the window. */
export function bringIntoView(id) {
  const element = document.getElementById(id);
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) element.scrollIntoView();
}

/** Mark `element` with the class "more" while `pane`, which scrolls, does not show its `end`. */
export function markMore(element, pane, end) {
  const onChange = (/** @type {any[]} */ [{ isIntersecting }]) => element.classList.toggle("more", !isIntersecting);
  new IntersectionObserver(onChange, { root: pane }).observe(end);
}
