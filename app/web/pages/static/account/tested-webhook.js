// Shows how a test message went, as soon as that is known: the worker sends it within seconds.

import { LivePage } from "./live-page.js";

const INTERVAL_MS = 1000;
/** Later the receiver is retried, at longer intervals than anybody waits. */
const MAX_TRIES = 30;

const page = new LivePage();
for (let i = 0; i < MAX_TRIES; i++) {
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  const { status, body } = await page.fetch();
  if (status === 401) break; // the session has ended
  if (status !== 200 || !page.hasChanged(body)) continue;
  page.show(body);
  break;
}
