// Refreshes the list of monitors.

import { showRefresh } from "./fetching.js";
import { LivePage } from "./live-page.js";
import { Refresher } from "./refresher.js";

const page = new LivePage();
new Refresher(() => page.refresh(), showRefresh).startLater();
