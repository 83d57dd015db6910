// Responses as rows: for the table on the page and for the file.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** A value as people read it. */
export function formatNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e9 || size < 1e-4) ? value.toPrecision(6) : number.format(value);
}

/** A probability in words: `12 %`, `1 in 1,200`, less than `1 in 1,000,000`. */
export function tellChance(p) {
  if (p >= 0.01) return `${Number((100 * p).toPrecision(2))} %`;
  return p < 1e-6 ? "< 1 in 1,000,000" : `1 in ${number.format(Number((1 / p).toPrecision(2)))}`;
}

/** A timestamp of the service as short as it can be: a date alone at midnight. */
export function shortenTimestamp(timestamp) {
  return timestamp.replace(/T00:00:00.*|(?<=T\d\d:\d\d):00/, "").replace("T", " ");
}

/**
 * Rows of cells, their names first, as a CSV text.
 *
 * @param {string[]} names
 * @param {any[][]} rows
 * @param {{delimiter: string, mark: "."|","}} form `mark` is the decimal mark
 */
export function toCsv(names, rows, { delimiter, mark }) {
  const write = (cell) => {
    const text = typeof cell === "number" ? String(cell).replace(".", mark) : String(cell);
    return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows].map((cells) => `${cells.map(write).join(delimiter)}\r\n`).join("");
}

/**
 * The form of a CSV that the spreadsheet reads from which the data came: semicolons where they had
 * any, or where commas stand before decimals.
 */
export function csvFormOf({ delimiter, mark }) {
  return { delimiter: delimiter === ";" || mark === "," ? ";" : ",", mark };
}

/**
 * @typedef {object} Table
 * @property {string} caption
 * @property {string} first name of the first column, whose cells head their rows
 * @property {{name: string, columns: string[]}[]} groups of the columns; without a name they stand
 *     in one row of heads
 * @property {string[][]} rows
 */

/** Fill `table`, which is then a thead and a tbody. */
export function fillTable(table, { caption, first, groups, rows }) {
  const head = document.createElement("thead");
  const top = head.insertRow();
  const named = groups.some(({ name }) => name);
  const columns = named ? head.insertRow() : top;
  top.append(headerCell(first, { rowSpan: named ? 2 : 1, scope: "col" }));
  for (const { name, columns: names } of groups) {
    if (named) top.append(headerCell(name, { colSpan: names.length, scope: "colgroup" }));
    columns.append(...names.map((column) => headerCell(column, { scope: "col" })));
  }
  const body = document.createElement("tbody");
  for (const [title, ...cells] of rows) {
    const row = body.insertRow();
    row.append(headerCell(title, { scope: "row" }));
    for (const cell of cells) row.insertCell().textContent = cell;
  }
  const title = document.createElement("caption");
  title.textContent = caption;
  table.replaceChildren(title, head, body);
}

function headerCell(text, properties) {
  return Object.assign(document.createElement("th"), { textContent: text, ...properties });
}
