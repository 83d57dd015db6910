// Tables read by the service: POST /read. A newer request aborts the one before it.

import { sentenceOf } from "../words.js";
import { locateErrors } from "./errors.js";

const UNREADABLE = "The file cannot be read. Choose it again.";

/**
 * @typedef {object} ReadResult
 * @property {object} [body] the response
 * @property {string} [problem] why there is none
 * @property {boolean} [isRejected] whether an answer does not fit the table
 */

export class Reader {
  #abort = new AbortController();

  /** @param {string} url of POST /read */
  constructor(url) {
    this.url = url;
  }

  /**
   * Read nothing, for a `problem`.
   *
   * @returns {ReadResult}
   */
  stop(problem) {
    this.#abort.abort();
    return { problem };
  }

  /**
   * Read a table.
   *
   * @param {string|Promise<string|ArrayBuffer|null>} source text, or the bytes of a file, null if it is unreadable
   * @param {[parameter: string, answer: string][]} answers to questions
   * @returns {Promise<ReadResult|null>} null where a newer request came
   */
  async read(source, answers) {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const content = await source;
    if (content === null) return signal.aborted ? null : { problem: UNREADABLE };
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
