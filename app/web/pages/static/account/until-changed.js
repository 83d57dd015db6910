// Shows what the worker does within seconds: send a test message, read a new query.

import { LivePage } from "./live-page.js";

const INTERVAL_MS = 1000;
/** Later it is retried, at longer intervals than anybody waits. */
const MAX_TRIES = 30;

const page = new LivePage();
for (let i = 0; i < MAX_TRIES; i++) {
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  const { status, body } = await page.fetch();
  if (status === 401) break; // the session has ended
  if (status !== 200 || !page.hasChanged(body)) continue;
  page.show(body);
  if (!document.querySelector(".state:is(.waiting, .filling)")) break;
}
