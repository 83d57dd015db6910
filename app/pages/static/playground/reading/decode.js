// Files to text: their encoding, and those that are not text.

const MOST_BYTES = 50_000_000;
const SIGNATURES = [
  { kind: "a spreadsheet", bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: "an Excel workbook", bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { kind: "a Parquet file", bytes: [0x50, 0x41, 0x52, 0x31] },
  { kind: "a PDF", bytes: [0x25, 0x50, 0x44, 0x46] },
  { kind: "a compressed file", bytes: [0x1f, 0x8b] },
];
/** What the content does not tell apart. */
const KINDS = {
  xlsx: "an Excel workbook",
  xlsm: "an Excel workbook",
  ods: "an OpenDocument spreadsheet",
  zip: "a ZIP archive",
};
const REMEDIES = {
  "a Parquet file": "Write it as CSV, such as with pandas' to_csv, and choose that file.",
  "a PDF": "Copy the table out of it, and paste it here.",
  "a compressed file": "Unpack it, and choose the CSV in it.",
  "a ZIP archive": "Unpack it, and choose the CSV in it.",
};
const SAVE_AS = "Open it, save it as CSV (File, Save As, CSV), and choose that file.";
const SAMPLE = 1000;

/**
 * Read the text of a file.
 *
 * @param {string} name
 * @param {Uint8Array} bytes
 * @returns {{text: string}|{refusal: string}}
 */
export function decodeFile(name, bytes) {
  const kind = kindOf(name, bytes);
  if (kind) return { refusal: `${name} is ${kind}. ${REMEDIES[kind] ?? SAVE_AS}` };
  if (bytes.length > MOST_BYTES) return { refusal: `${name} is too large: send 50 MB or less.` };
  const utf16 = utf16Of(bytes);
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes) };
  if (bytes.includes(0)) return { refusal: `${name} is not a text file. ${SAVE_AS}` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes) };
  }
}

function kindOf(name, bytes) {
  const found = SIGNATURES.find((signature) => signature.bytes.every((byte, i) => bytes[i] === byte));
  return found && (KINDS[name.toLowerCase().split(".").at(-1)] ?? found.kind);
}

/** UTF-16 has a mark, or every other byte of plain text is 0. */
function utf16Of(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = [0, 1].map((odd) => sample.filter((byte, i) => i % 2 === odd && byte === 0).length);
  if (zeros[1] > 0.4 * sample.length) return "utf-16le";
  return zeros[0] > 0.4 * sample.length ? "utf-16be" : null;
}
