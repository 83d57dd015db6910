// Names as a page shows them.

/** A name without the key in it: the service refuses such names, but may have older ones. */
export const shown = (name) => name.replace(/(ak_[0-9a-f]{8})[0-9a-f]{24,}/gi, "$1…");
