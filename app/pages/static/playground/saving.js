// Files that the page makes itself.

const PICTURE_SCALE = 2;

export function saveFile(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * Save a chart as PNG. Plotly's own way shows a picture from a blob: address, which the page's
 * Content-Security-Policy forbids.
 *
 * @param {object} plotly
 * @param {HTMLElement} chart that Plotly has drawn on
 * @param {string} name of the file
 */
export async function savePicture(plotly, chart, name) {
  const { clientWidth: width, clientHeight: height } = chart;
  const picture = new Image();
  picture.src = await plotly.toImage(chart, { format: "svg", width, height });
  await picture.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * PICTURE_SCALE, height: height * PICTURE_SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(name, blob), "image/png");
}
