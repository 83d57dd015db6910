// Asking the dashboard itself, as whoever is signed in.

/**
 * Get a page or what a page asks for; who is not signed in is sent elsewhere, which is told as 401.
 *
 * @param {string} url
 * @param {(response: Response) => Promise<any>} read gives the body of a response that is 200
 * @returns {Promise<{status: number, body: any, retryAfter: number}>} status 0 where the service
 *     could not be reached
 */
export async function ask(url, read = (response) => response.json()) {
  try {
    const response = await fetch(url, { cache: "no-store", redirect: "manual" });
    const status = response.type === "opaqueredirect" ? 401 : response.status;
    const body = status === 200 ? await read(response) : null;
    return { status, body, retryAfter: Number(response.headers.get("Retry-After")) };
  } catch {
    return { status: 0, body: null, retryAfter: 0 };
  }
}

const PROBLEMS = {
  0: "The service cannot be reached. Is it still running?",
  401: "Your session has ended: reload the page to sign in again.",
  404: "This monitor is gone: it was deleted, or is not of your account.",
};

/** Say when the page was refreshed and what went wrong; said twice it is read out once. */
export function tell(text, failure) {
  const [refreshed, problem] = ["refreshed", "problem"].map((id) => document.getElementById(id));
  refreshed.textContent = text;
  const message = failure ? (PROBLEMS[failure.status] ?? `The service responded ${failure.status}.`) : "";
  problem.hidden = message === "";
  if (problem.textContent !== message) problem.textContent = message;
}
