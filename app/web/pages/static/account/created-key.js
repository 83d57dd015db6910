// The page of a new key is the response to a form: reloading it would make another key. From here
// on its address is that of the key's page.

import { findAll } from "../dom.js";

history.replaceState(null, "", findAll("[data-key-page]")[0].dataset.keyPage);
