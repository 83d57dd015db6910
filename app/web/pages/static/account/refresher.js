// Repeats work while the page is visible, less often while it fails.

import { clockTime } from "../words.js";

const INTERVAL_MS = 15_000;
/** The interval doubles with each failure in a row, up to this. */
const MAX_INTERVAL_MS = 300_000;
/** Statuses after which a retry is pointless: only a new session helps. */
const FINAL_STATUSES = [401, 403];
/** The failure of work that throws, as when a newer version of the service has other parts on the page. */
const NOT_SHOWN = { status: 200, body: null, retryAfter: 0 };

/**
 * @typedef {import("./fetching.js").Fetched} Fetched
 * @typedef {() => Promise<Fetched|null>} Work returns the response if it is a failure
 * @typedef {(text: string, failure: Fetched|null) => void} ShowRefresh
 */

/** Runs its work at intervals while the page is visible. */
export class Refresher {
  #timer;
  /** The time of the next refresh; null during a refresh and after the last one. */
  #due = null;
  #failures = 0;

  /**
   * @param {Work} work
   * @param {ShowRefresh} showRefresh shows the time of the last refresh and its failure
   */
  constructor(work, showRefresh) {
    this.work = work;
    this.showRefresh = showRefresh;
    document.addEventListener("visibilitychange", () => this.#schedule());
  }

  /** Refresh now, then at intervals. */
  async start() {
    clearTimeout(this.#timer);
    this.#due = null;
    const failure = await this.work().catch((error) => {
      console.error(error);
      return NOT_SHOWN;
    });
    this.#finish(failure);
  }

  /** Refresh at intervals; the page was just loaded. */
  startLater() {
    this.#finish(null);
  }

  #finish(failure) {
    const time = clockTime(Date.now());
    if (failure && FINAL_STATUSES.includes(failure.status)) {
      this.showRefresh(`Rejected at ${time}.`, failure);
      return;
    }
    this.#failures = failure ? this.#failures + 1 : 0;
    const interval = Math.min(INTERVAL_MS * 2 ** this.#failures, MAX_INTERVAL_MS);
    this.#due = Date.now() + Math.max(1000 * (failure?.retryAfter ?? 0), interval);
    const next = clockTime(this.#due);
    const text = failure ? `Failed at ${time}; next try at ${next}.` : `Refreshed at ${time}.`;
    this.showRefresh(text, failure);
    this.#schedule();
  }

  /** Refresh when due, but not while the page is hidden. */
  #schedule() {
    clearTimeout(this.#timer);
    if (this.#due === null || document.hidden) return;
    this.#timer = setTimeout(() => this.start(), Math.max(0, this.#due - Date.now()));
  }
}
