// Text to rows of cells, which may be quoted.

/**
 * @typedef {object} Row
 * @property {number} line of the text, from 1
 * @property {string[]} cells
 */

/**
 * Split `text` into rows; empty rows are left out.
 *
 * @param {string} text
 * @param {string} delimiter
 * @returns {Row[]}
 */
export function parseRows(text, delimiter) {
  const parsed = split(text, delimiter, true);
  // A quotation mark that nothing closes is a character like any other.
  return parsed.isOpen ? split(text, delimiter, false).rows : parsed.rows;
}

function split(text, delimiter, quotes) {
  const rows = [];
  let cells = [];
  let cell = "";
  let quoted = false;
  let line = 1;
  let startLine = 1;

  function endRow() {
    cells.push(cell.trim());
    if (cells.some((content) => content !== "")) rows.push({ line: startLine, cells });
    cells = [];
    cell = "";
    startLine = line + 1;
  }

  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (quoted) {
      if (character === '"' && text[i + 1] === '"') i += 1;
      else if (character === '"') quoted = false;
      if (quoted) cell += character;
    } else if (character === '"' && quotes && cell.trim() === "") {
      quoted = true;
      cell = "";
    } else if (character === delimiter) {
      cells.push(cell.trim());
      cell = "";
    } else if (character === "\n") {
      endRow();
    } else if (character !== "\r") {
      cell += character;
    }
    if (character === "\n") line += 1;
  }
  endRow();
  return { rows, isOpen: quoted };
}
