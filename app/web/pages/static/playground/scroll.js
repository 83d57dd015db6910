// Scrolling to what has just come, and what stays in sight.

/** Pixels above and below what stays. */
const MARGIN = 12;

/** Scroll to an element unless it begins in the upper quarter of the window. */
export function bringIntoView(id) {
  const element = document.getElementById(id);
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 4) element.scrollIntoView();
}

/**
 * Let a sticky `element` stay where its end is in sight: one that is higher than the window scrolls
 * with the page up to there.
 */
export function keepEndInSight(element) {
  const place = () => {
    const top = Math.min(MARGIN, window.innerHeight - element.offsetHeight - MARGIN);
    element.style.setProperty("--top", `${top}px`);
  };
  new ResizeObserver(place).observe(element);
  window.addEventListener("resize", place);
}
