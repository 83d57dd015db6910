// Tables read by the service: POST /read. A newer request aborts the one before it.

import { sentenceOf } from "../words.js";
import { locateErrors } from "./errors.js";

export class Reader {
  #abort = new AbortController();

  /** @param {string} url of POST /read */
  constructor(url) {
    this.url = url;
  }

  /** Read nothing, for a `problem`. */
  stop(problem) {
    this.#abort.abort();
    return { problem };
  }

  /**
   * Read a table.
   *
   * @param {string|ArrayBuffer} content text, or the bytes of a file
   * @param {[parameter: string, answer: string][]} answers to questions
   * @returns {Promise<{body: object}|{problem: string, isRejected?: boolean}|null>} null where a newer
   *     request came; `isRejected`: an answer does not fit the table
   */
  async read(content, answers) {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const unreachable = () => ({ problem: locateErrors({ status: 0 })[0].text });
    const result = await this.#send(content, answers, signal).catch(unreachable);
    return signal.aborted ? null : result; // it may have been aborted while its body was coming
  }

  async #send(content, answers, signal) {
    const type = typeof content === "string" ? "text/plain" : "application/octet-stream";
    const response = await fetch(`${this.url}?${new URLSearchParams(answers)}`, {
      method: "POST",
      headers: { "Content-Type": type },
      body: content,
      cache: "no-store",
      credentials: "omit",
      signal,
    });
    if (response.ok) return { body: await response.json() };
    const body = await response.json().catch(() => null); // a proxy's is not JSON
    const requestId = response.headers.get("X-Request-Id");
    const isRejected = response.status === 400 && answers.some(([name]) => name === body?.error?.details?.field);
    return { isRejected, problem: sentenceOf(locateErrors({ status: response.status, body, requestId })[0].text) };
  }
}
