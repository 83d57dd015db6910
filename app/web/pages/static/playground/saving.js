// Files that the page makes itself.

import { create } from "../dom.js";

const PICTURE_SCALE = 2;

export function saveFile(name, blob) {
  const link = create("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export function saveSvg({ svg }, name) {
  saveFile(name, new Blob([svg], { type: "image/svg+xml" }));
}

/**
 * Save a picture as PNG. A picture from a blob: address is forbidden by the page's
 * Content-Security-Policy, one from data: is not.
 *
 * @param {{svg: string, width: number, height: number}} picture
 * @param {string} name of the file
 */
export async function savePng({ svg, width, height }, name) {
  const picture = create("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
  await picture.decode();
  const canvas = create("canvas", { width: width * PICTURE_SCALE, height: height * PICTURE_SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(name, blob), "image/png");
}
