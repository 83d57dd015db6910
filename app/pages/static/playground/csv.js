// Text to rows of cells. Delimiters: tab, semicolon, bar or comma; cells may be quoted.

const DELIMITERS = ["\t", ";", "|", ","];
const SAMPLE_LINES = 30;

/**
 * Find what separates the cells of `text`.
 *
 * The comma comes last: where another one stands, commas are decimal marks.
 */
export function findDelimiter(text) {
  const sample = text.split("\n", SAMPLE_LINES).join("\n");
  const hasCells = (delimiter) => {
    const rows = parseRows(sample, delimiter);
    return 2 * rows.filter((row) => row.cells.length > 1).length > rows.length;
  };
  return DELIMITERS.find(hasCells) ?? ",";
}

/**
 * Split `text` into rows `{line, cells}`; `line` counts from 1, and empty rows are left out.
 */
export function parseRows(text, delimiter) {
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
    } else if (character === '"' && cell.trim() === "") {
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
  return rows;
}
