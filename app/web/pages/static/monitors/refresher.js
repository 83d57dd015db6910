// Asks again and again while the page is seen: seldom, and more seldom while it fails.

import { clockTime } from "../playground/clock.js";

const EVERY_MS = 15_000;
/** The pause grows with each failure in a row, up to this. */
const LONGEST_MS = 300_000;
/** Another key is needed: asking again is of no use. */
const HOPELESS = [401, 403];

/**
 * @typedef {import("../playground/request.js").Received} Received
 * @typedef {() => Promise<Received|null>} Work asks; gives what went wrong, or null
 * @typedef {(text: string, failure: Received|null) => void} Tell says when it was refreshed, what comes
 *     next, and what went wrong
 */
export class Refresher {
  #timer;
  /** When it asks next; null while it asks, and when it has stopped. */
  #due = null;
  #failures = 0;
  /** The newest refresh, null when it has stopped; what another has overtaken is not noted. */
  #run = null;

  /**
   * @param {Work} work
   * @param {Tell} tell
   */
  constructor(work, tell) {
    this.work = work;
    this.tell = tell;
    document.addEventListener("visibilitychange", () => this.#schedule());
  }

  /** Refresh at once, then every so often. */
  async start() {
    this.#failures = 0;
    await this.#refresh();
  }

  /** Refresh every so often; what the page shows is as it came just now. */
  startFresh() {
    this.#run = Symbol("run");
    this.#note(null);
  }

  stop(reason, failure = null) {
    this.#run = null;
    this.#due = null;
    this.#schedule();
    this.tell(reason, failure);
  }

  /** Do some other asking at once, unless the service has said to wait. */
  async doNow(work) {
    if (this.#run === null || this.#failures > 0) return;
    const run = this.#run;
    const failure = await work();
    if (failure && run === this.#run) this.#note(failure);
  }

  async #refresh() {
    clearTimeout(this.#timer);
    this.#due = null;
    const run = (this.#run = Symbol("run"));
    const failure = await this.work();
    if (run === this.#run) this.#note(failure);
  }

  #note(failure) {
    const time = clockTime(Date.now());
    if (failure && HOPELESS.includes(failure.status)) {
      this.stop(`Refused at ${time}.`, failure);
      return;
    }
    this.#failures = failure ? this.#failures + 1 : 0;
    const wanted = (failure?.retryAfter ?? 0) * 1000;
    this.#due = Date.now() + Math.max(wanted, Math.min(EVERY_MS * 2 ** this.#failures, LONGEST_MS));
    const next = clockTime(this.#due);
    const text = failure ? `Failed at ${time}; next try at ${next}.` : `Refreshed at ${time}.`;
    this.tell(text, failure);
    this.#schedule();
  }

  /** A hidden page does not ask; seen again, it asks when it is due, which may be at once. */
  #schedule() {
    clearTimeout(this.#timer);
    if (this.#due === null || document.hidden) return;
    this.#timer = setTimeout(() => this.#refresh(), Math.max(0, this.#due - Date.now()));
  }
}
