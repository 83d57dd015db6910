// The page of a new key is the response to a form: reloading it would make another key. From here
// on its address is that of the key's page.

history.replaceState(null, "", document.querySelector("[data-key-page]").dataset.keyPage);
