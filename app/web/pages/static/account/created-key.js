// The page of a new key is the response to a form: a reload would create another key. So the address
// becomes that of the key's page.

import { findAll } from "../dom.js";

history.replaceState(null, "", findAll("[data-key-page]")[0].dataset.keyPage);
