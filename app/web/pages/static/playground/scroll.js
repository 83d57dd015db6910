// Scrolling to results, and the sticky panel.

import { element } from "../dom.js";

/** Pixels above and below the panel. */
const MARGIN = 12;

/** Scroll to an element unless it begins in the upper quarter of the window. */
export function bringIntoView(id) {
  const { top } = element(id).getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 4) element(id).scrollIntoView();
}

/**
 * Let a sticky `panel` stay where its end is in sight: one that is higher than the window scrolls
 * with the page up to there.
 */
export function keepEndInSight(panel) {
  const place = () => {
    const top = Math.min(MARGIN, window.innerHeight - panel.offsetHeight - MARGIN);
    panel.style.setProperty("--top", `${top}px`);
  };
  new ResizeObserver(place).observe(panel);
  window.addEventListener("resize", place);
}
