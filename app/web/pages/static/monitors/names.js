// Names as a page shows them.

/** A name without the key in it: the service refuses such names, but may have older ones. */
export const shown = (name) => name.replace(/(ak_[0-9a-f]{8})[0-9a-f]{24,}/gi, "$1…");

/** What people know a monitor by: its series where a query feeds it, else its name. */
export function titleOf({ name, query, labels }) {
  const pairs = Object.entries(labels ?? {}).map(([label, value]) => `${label}=${value}`);
  return pairs.length > 0 ? `${query}: ${pairs.join(", ")}` : shown(name);
}
