// Fetch from the dashboard with the cookie of the session, and show what went wrong.

import { element } from "../dom.js";

/**
 * @typedef {{status: number, body: any, retryAfter: number}} Fetched status 0 if the service cannot
 *     be reached; 401 if the session has ended
 */

/**
 * @param {string} url
 * @param {(response: Response) => Promise<any>} read returns the body of a response with status 200
 * @returns {Promise<Fetched>}
 */
export async function fetchUrl(url, read = (response) => response.json()) {
  try {
    const response = await fetch(url, { cache: "no-store", redirect: "manual" });
    const status = response.type === "opaqueredirect" ? 401 : response.status;
    const body = status === 200 ? await read(response) : null;
    return { status, body, retryAfter: Number(response.headers.get("Retry-After")) };
  } catch {
    return { status: 0, body: null, retryAfter: 0 };
  }
}

/** Fetch a page; the body is its document. */
export function fetchPage(url) {
  const parser = new DOMParser();
  return fetchUrl(url, async (response) => parser.parseFromString(await response.text(), "text/html"));
}

const PROBLEMS = {
  0: "The service cannot be reached. Is it still running?",
  200: "What is new could not be shown: reload the page.",
  401: "Your session has ended: reload the page to sign in again.",
  404: "This monitor is gone: it was deleted, or is not of your account.",
};

/** Show the time of the last refresh and its failure; a repeated failure is read out once. */
export function showRefresh(text, failure) {
  element("refreshed").textContent = text;
  const message = failure ? (PROBLEMS[failure.status] ?? `The service responded ${failure.status}.`) : "";
  const problem = element("problem");
  problem.hidden = message === "";
  if (problem.textContent !== message) problem.textContent = message;
}
