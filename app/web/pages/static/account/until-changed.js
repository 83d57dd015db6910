// Shows results that the worker has within seconds: of a test message, of a new query.

import { LivePage } from "./live-page.js";

const INTERVAL_MS = 1000;
/** Later attempts of the worker are too rare to wait for. */
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
