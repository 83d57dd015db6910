// The picture for slides: title, sentence, chart and legend in one SVG.

const WIDTH = 1200;
const MARGIN = 32;
const LINE = 24;
const TITLE_SIZE = 24;
const TEXT_SIZE = 15;
/** Characters that fit between the margins in a wide font; the font of the viewer is unknown. */
const LINE_LENGTH = 122;

/**
 * Put a chart into a picture.
 *
 * @param {string} chart SVG that Plotly has made
 * @param {{width: number, height: number}} size of the chart
 * @param {{title: string, sentence: string, legend: {colour: string, text: string, isArea: boolean}[]}} words
 * @param {{text: string, panel: string, font: string}} style colours and font of the page
 * @returns {{svg: string, width: number, height: number}}
 */
export function composePicture(chart, size, { title, sentence, legend }, style) {
  const lines = wrapLines(sentence);
  const top = MARGIN + TITLE_SIZE + lines.length * LINE + LINE / 2;
  const width = WIDTH - 2 * MARGIN;
  const chartHeight = Math.round((size.height * width) / size.width);
  const rows = legend.flatMap(({ text: words, ...key }) =>
    wrapLines(words).map((line, i) => ({ line, key: i === 0 ? key : null })));
  const height = top + chartHeight + rows.length * LINE + MARGIN;
  const nested = chart.replace(
    /<svg [^>]*>/,
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="${MARGIN}" y="${top}" ` +
      `width="${width}" height="${chartHeight}" viewBox="0 0 ${size.width} ${size.height}">`,
  );
  const text = (words, y, size, x = MARGIN, weight = "normal") =>
    `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${escapeText(words)}</text>`;
  const entries = rows.map(({ line, key }, i) => {
    const y = top + chartHeight + (i + 1) * LINE;
    const opacity = key?.isArea ? ' fill-opacity="0.25"' : "";
    const box = key ? `<rect x="${MARGIN}" y="${y - 11}" width="14" height="10" fill="${key.colour}"${opacity}/>` : "";
    return box + text(line, y, TEXT_SIZE, MARGIN + 24);
  });
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
      `viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escapeText(title)}</title><desc>${escapeText(sentence)}</desc>`,
    `<rect width="100%" height="100%" fill="${style.panel}"/>`,
    `<g fill="${style.text}" font-family="${escapeText(style.font)}">`,
    text(title, MARGIN + TITLE_SIZE / 2, TITLE_SIZE, MARGIN, "600"),
    ...lines.map((line, i) => text(line, MARGIN + TITLE_SIZE + (i + 0.6) * LINE, TEXT_SIZE)),
    ...entries,
    `</g>${nested}</svg>`,
  ];
  return { svg: svg.join(""), width: WIDTH, height };
}

/** A name for files, from the title of the data: `Sales 2024 (€)` becomes `sales-2024`. */
export function fileName(title) {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const stem = plain.replace(/\.(csv|tsv|txt|xlsx?|xlsm)\b/g, "");
  return stem.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "data";
}

/** The name of a file of a `kind`: `sales-forecast.csv`. */
export function downloadName(title, kind, end) {
  const name = fileName(title);
  return `${name.endsWith(`-${kind}`) ? name : `${name}-${kind}`}.${end}`;
}

function wrapLines(sentence) {
  const lines = [];
  for (const word of sentence.split(/[ \n]+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escapeText(words) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return words.replace(/[&<>"]/g, (character) => entities[character]);
}
