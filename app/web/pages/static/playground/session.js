// Keeps data, settings and forecasts over a reload or a visit to another page, within this browser tab.

import { element, findAll } from "../dom.js";

const NAME = "playground";
/** The maximum of the kept session; browsers allow some five million. */
const MAX_CHARACTERS = 2_000_000;
const CONTROLS = ["horizon", "frequency", "confidence", "holidays", "detect", "direction"];

/**
 * @typedef {object} DataSnapshot what a person gave to read
 * @property {string} file its name, "" for text that was typed or pasted
 * @property {string} content the text, or the bytes of the file as text
 * @property {Record<string, string>} answers
 * @property {string} wanted name of the series that is shown
 * @property {Sum|null} sum
 * @property {object[]} asked the questions of the table
 *
 * @typedef {object} Sum all series, added up
 * @property {string[]} names of the series
 * @property {Record<string, string>} answers that they were read with
 *
 * @typedef {object} Session
 * @property {DataSnapshot} data
 * @property {Record<string, string>} controls what is typed, by the control
 * @property {string[]} models that are chosen
 * @property {object|null} forecasts of the series that is shown
 */

/** Keep a person's data with all settings; without any data, forget what was kept. */
export function keepSession(data, forecasts) {
  try {
    sessionStorage.removeItem(NAME);
    if (!data) return;
    const controls = Object.fromEntries(CONTROLS.map((id) => [id, element(id).value]));
    const models = findAll("#models input:checked").map(({ value }) => value);
    const texts = [forecasts, null].map((kept) => JSON.stringify({ data, controls, models, forecasts: kept }));
    const text = texts.find(({ length }) => length <= MAX_CHARACTERS);
    if (text) sessionStorage.setItem(NAME, text);
  } catch {
    // Storage may be forbidden or full: then nothing is kept.
  }
}

/** @returns {Session|null} what was kept */
export function recallSession() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME));
  } catch {
    return null;
  }
}

/** Set the controls as they were. */
export function restoreControls({ controls, models }) {
  for (const [id, value] of Object.entries(controls)) element(id).value = value;
  for (const input of findAll("#models input")) input.checked = models.includes(input.value);
}

/** Bytes as text. */
export function toText(bytes) {
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
}

/** The bytes that a text was made of. */
export function toBytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
