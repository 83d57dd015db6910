// What this browser remembers of a person's settings. Storage may be forbidden: then only for this page.

/** What was remembered under a name; null for nothing. */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Remember a value, or with null forget it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // As above.
  }
}
