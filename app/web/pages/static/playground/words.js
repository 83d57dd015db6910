// Words that several parts of the pages use.

/** `1 event`, `2 events`. */
export function countOf(count, noun) {
  const plural = noun.endsWith("stretch") ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
