// Where tables come from: typed and pasted text, files, and examples of the service.

import { element } from "../dom.js";

/** The browser itself would take minutes to paste more characters. */
const MAX_BROWSER_PASTE = 100_000;
/** Fewer pasted lines are added to the table; more replace it, as a forecast needs this many. */
const MIN_TABLE_LINES = 10;

/** The browsers' labels of encodings of POST /read, where they differ by more than an underscore. */
const ENCODINGS = {
  "latin-1": "windows-1252", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be",
  cp874: "windows-874", cp932: "shift_jis", cp949: "euc-kr", cp950: "big5",
};

/**
 * Listen to whatever brings a table: typing, pasting, choosing a file, dropping.
 *
 * @param {object} listeners
 * @param {() => void} listeners.onTyped called for each change of the text
 * @param {(text: string) => void} listeners.onText
 * @param {(file: File) => void} listeners.onFile
 */
export function listenToInput({ onTyped, onText, onFile }) {
  element("text").addEventListener("input", onTyped);
  listenToPaste(onText);
  element("file").addEventListener("change", async ({ target }) => {
    await onFile(target.files[0]);
    target.value = ""; // the same file, saved anew, can be chosen again
  });
  listenToDrops({ onFile, onText });
}

/** The text of bytes in an encoding of POST /read, "" if the browser does not know it, such as UTF-32. */
export function decodeText(bytes, encoding) {
  try {
    return new TextDecoder(ENCODINGS[encoding] ?? encoding.replace("_", "-")).decode(bytes);
  } catch {
    return "";
  }
}

/** The text at a URL of the service, null if it cannot be fetched. */
export async function fetchText(url) {
  try {
    const response = await fetch(url);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/**
 * Let a pasted table replace an example, and another table unless it is appended to that.
 *
 * @param {(text: string) => void} onText called with a text that is too long for the browser to paste
 */
function listenToPaste(onText) {
  element("text").addEventListener("paste", (event) => {
    const pasted = event.clipboardData.getData("text/plain");
    const { target } = event;
    const isExample = Boolean(element("example").value);
    const minLines = isExample ? 2 : MIN_TABLE_LINES;
    const isAppended = !isExample && target.selectionStart === target.value.length;
    if (!isAppended && pasted.trim().split("\n", minLines).length === minLines) target.select();
    if (pasted.length < MAX_BROWSER_PASTE) return;
    event.preventDefault();
    target.setRangeText(pasted, target.selectionStart, target.selectionEnd, "end");
    onText(target.value);
  });
}

/**
 * Accept a file that is dropped anywhere, as the browser would open it and leave the page; and text on the text area.
 *
 * @param {{onFile: (file: File) => void, onText: (text: string) => void}} listeners
 */
function listenToDrops({ onFile, onText }) {
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (/** @type {any} */ event) => {
      const { dataTransfer, target } = event;
      const isFile = dataTransfer.types.includes("Files");
      if (!isFile && target !== element("text")) return;
      event.preventDefault();
      element("text").classList.toggle("dropping", kind === "dragenter" || kind === "dragover");
      if (kind !== "drop") return;
      if (isFile) onFile(dataTransfer.files[0]);
      else onText(dataTransfer.getData("text/plain"));
    });
  }
}

/** Select a line of the text, counted from 1, and go there; a file that cannot be read has no lines. */
export function selectLine(line) {
  const text = element("text");
  const lines = text.value.split("\n");
  if (line > lines.length) return;
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + lines[line - 1].length);
  text.scrollTop = (text.scrollHeight / lines.length) * (line - 3);
}

/** Return whether a text is another table, not an edit of the one before: most of it differs. */
export function isOtherTable(text, before) {
  const length = Math.min(text.length, before.length);
  let [start, end] = [0, 0];
  while (start < length && text[start] === before[start]) start += 1;
  while (end < length - start && text.at(-1 - end) === before.at(-1 - end)) end += 1;
  return length > 0 && start + end < length / 2;
}
