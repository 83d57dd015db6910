// The data panel: pasted text, a file or an example, and the service's reading of it.

import { element } from "../dom.js";
import { Answers } from "./reading-answers.js";
import { decodeText, fetchText, isOtherTable, listenToInput } from "./data-input.js";
import { showError } from "./messages.js";
import { Reader } from "./reader.js";
import { ALL_SERIES, NO_READING, combinedText, keepAnsweredQuestions } from "./reading.js";
import { showBusy } from "./reading-layout.js";
import { showReading } from "./reading-view.js";
import { toBytes, toText } from "./session.js";
import { TableReadings } from "./table-readings.js";

const TYPING_DEBOUNCE_MS = 200;
/** The old data is cleared if a reading takes longer than this; earlier, the page would flicker. */
const CLEAR_AFTER_MS = 250;
/** Larger data is not kept for a reload. */
const MAX_KEPT_BYTES = 1_500_000;
const EMPTY = "Paste a column of dates and a column of numbers.";
const NOT_FETCHED = "The series could not be loaded. Choose it again.";
const PLACEHOLDER = "2024-01-01, 112";

/** The data of the page: the text, the file or the example, and its reading. */
export class DataPanel {
  /** @type {any} the text, or a file: its bytes once they are read */
  #content = "";
  /** @type {File|null} the file that was chosen, null for text */
  #file = null;
  /** The last text that was not empty. */
  #lastText = "";
  #answers = new Answers();
  /** The readings of the last response, another object for each response. */
  readings = new TableReadings();
  /** The name of the series that is shown, "" for the likeliest. */
  #seriesName = "";
  /** A new object for each table; the same while its text or answers are edited. */
  tableKey = {};
  /** The questions of the reading that is shown. */
  #asked = [];
  #timer;
  #clearTimer;
  #isRequesting = false;
  /** Resolves to whether the current reading was shown, not replaced by a newer one. */
  #pending = Promise.resolve(false);

  /**
   * @param {string} url of POST /read
   * @param {(frequency: string) => string} noun of a step
   * @param {(isNew: boolean) => void} onChange called with every new reading: of a table that
   *     was read anew, or of another series of the same
   */
  constructor(url, noun, onChange) {
    this.reader = new Reader(url);
    this.noun = noun;
    this.onChange = onChange;
    this.reading = NO_READING;
    this.#listen();
  }

  /** The points of requests, with filled ones. */
  get points() {
    return this.reading.points;
  }

  /** Show another series of the table. */
  choose(name) {
    this.#answer("series", name);
  }

  /** Combine values, as the question about it offers: `month-total`. */
  combine(per) {
    this.#answer("per", per);
  }

  /** The title of the whole table. */
  get tableTitle() {
    const example = element("example").selectedOptions[0];
    return example.value ? example.textContent : this.#file?.name || "Your data";
  }

  get title() {
    if (element("example").value) return this.tableTitle;
    const { names, name, valueName, chosen } = this.reading;
    const { summed } = this.#answers;
    const sum = summed && `${summed.length || "all"} series added up`; // not known before all is answered
    const isNamed = names.length > 1 && (chosen.layout === "long" || this.#file);
    return [this.#file?.name || valueName || "Your data", sum || (isNamed && name)].filter(Boolean).join(" · ");
  }

  /** The meaning of combined values, "" for those of the table. */
  get combined() {
    return combinedText(this.reading);
  }

  /** Whether there is data of the user to keep. */
  get isOwn() {
    const { byteLength, length } = this.#content;
    const size = byteLength ?? length;
    return !element("example").value && size > 0 && size <= MAX_KEPT_BYTES;
  }

  /** @returns {import("./session.js").DataSnapshot|null} what is read, null for an example or nothing */
  get snapshot() {
    if (!this.isOwn) return null;
    const [file, content] = this.#file ? [this.#file.name, toText(this.#content)] : ["", this.#content];
    return { file, content, wanted: this.#seriesName, asked: this.#asked, ...this.#answers.snapshot };
  }

  /** Whether other data is being read. */
  get isReading() {
    return Boolean(this.#timer) || this.#isRequesting;
  }

  /** The file that is read, the same before and after its bytes are; null for text. */
  get file() {
    return this.#file;
  }

  /** The content and the parameters of its reading, for other requests. */
  get source() {
    return { content: this.#content, parameters: this.#answers.accepted };
  }

  /**
   * Read what was read before, with the same answers.
   *
   * @param {import("./session.js").DataSnapshot} snapshot
   * @returns {Promise<boolean>} whether it is shown: false where other data came meanwhile
   */
  restore({ file, content, ...known }) {
    return file ? this.#useFile(new File([toBytes(content)], file), known) : this.#useOwnText(content, known);
  }

  /** Load the chosen example; return its option, null if other data came meanwhile or it cannot be fetched. */
  async loadExample() {
    const option = element("example").selectedOptions[0];
    element("source").textContent = option.dataset.source ?? "";
    const text = option.value ? await fetchText(option.value) : "";
    const isChosen = () => element("example").selectedOptions[0] === option;
    this.tableKey = {};
    if (text === null && isChosen()) {
      if (await this.#useOwnText("")) showError("text", NOT_FETCHED);
      return null;
    }
    if (!isChosen() || !(await this.#load(text)) || !isChosen()) return null;
    if (!option.value) element("text").focus();
    return option;
  }

  /** Wait until the newest input was read; a failed reading is repeated. */
  async finishReading() {
    if (this.#timer) this.#useOwnText(element("text").value);
    else if (!this.readings.body) this.#reload();
    let awaited;
    do {
      awaited = this.#pending;
      await awaited;
    } while (awaited !== this.#pending);
  }

  #listen() {
    listenToInput({
      onTyped: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#useOwnText(element("text").value), TYPING_DEBOUNCE_MS);
      },
      onText: (text) => this.#useOwnText(text),
      onFile: (file) => this.#useFile(file),
    });
    element("questions").addEventListener("change", ({ target: { name, value } }) => this.#answer(name, value));
  }

  #answer(name, value) {
    if (name !== "series") this.#answers.set(name, value);
    else if (value === ALL_SERIES) this.#answers.addUp(this.reading.names);
    else {
      this.#seriesName = value;
      if (!this.#answers.endSum()) {
        this.#showSeries(false);
        return;
      }
    }
    this.#reload();
  }

  async #useFile(file, known = {}) {
    if (!file) return false;
    const reading = this.#useOwnText("", { file, ...known });
    const { tableKey } = this;
    // Other data came meanwhile, or is being typed.
    if (!(await reading) || this.tableKey !== tableKey || this.#timer) return false;
    const { encoding } = this.reading.chosen;
    if (encoding) element("text").value = decodeText(this.#content, encoding);
    if (this.readings.body) {
      element("text").placeholder = file.name;
      return true;
    }
    showError("text", `${file.name}: ${this.reading.problem}`);
    element("text-error").scrollIntoView({ block: "nearest" });
    return true;
  }

  #useOwnText(text, options) {
    element("example").value = "";
    element("source").textContent = "";
    return this.#load(text, options);
  }

  #load(text, { file = null, answers = {}, wanted = "", sum = null, asked = [] } = {}) {
    clearTimeout(this.#timer);
    clearTimeout(this.#clearTimer);
    this.#clearTimer = setTimeout(() => this.#showPending(), CLEAR_AFTER_MS);
    this.#timer = null;
    element("text").placeholder = PLACEHOLDER;
    if (element("text").value !== text) element("text").value = text;
    if (file || this.#file || isOtherTable(text, this.#lastText)) this.tableKey = {};
    this.#lastText = text || this.#lastText;
    [this.#file, this.#content, this.#seriesName, this.#asked] = [file, file ?? text, wanted, asked];
    this.#answers = new Answers(answers, sum, this.#answers.accepted);
    return this.#reload();
  }

  #reload() {
    this.#isRequesting = true;
    showBusy(true);
    this.#pending = this.#request();
    return this.#pending;
  }

  async #request() {
    const isEmpty = typeof this.#content === "string" && this.#content.trim() === "";
    const answers = Object.entries(this.#answers.sent);
    const result = isEmpty ? this.reader.stop(EMPTY) : await this.reader.read(this.#readContent(), answers);
    if (result) this.#show(result);
    return result !== null;
  }

  /** The text or the bytes to send; null for a file that is unreadable, which can be tried again. */
  async #readContent() {
    const content = this.#content;
    if (!(content instanceof File)) return content;
    const bytes = await content.arrayBuffer().catch(() => null);
    if (bytes && this.#content === content) this.#content = bytes;
    return bytes;
  }

  /**
   * Show what was read. An answer that was rejected is taken back, and the questions stay.
   *
   * @param {import("./reader.js").ReadResult} result
   */
  #show({ body = null, problem, isRejected }) {
    this.#isRequesting = false;
    showBusy(false);
    clearTimeout(this.#clearTimer);
    if (isRejected && this.readings.body) {
      this.#answers.reject();
      this.#showReading(problem);
      return;
    }
    this.#answers.accept();
    this.readings = new TableReadings(body && keepAnsweredQuestions(body, this.#asked, this.#answers.accepted));
    this.#asked = this.readings.questions;
    this.#showSeries(true, problem);
  }

  /** Show the chosen series of the last response, or the problem that it has none; a reading under way continues. */
  #showSeries(isNew, problem) {
    this.reading = this.readings.body ? this.readings.of(this.#seriesName) : { ...NO_READING, problem };
    this.#showReading();
    this.onChange(isNew);
  }

  /** Show that other data is being read, instead of the old data. */
  #showPending() {
    if (this.reading === NO_READING) return; // the page has just been opened
    this.reading = { ...NO_READING, problem: `Reading ${this.#file?.name || "the table"} …` };
    this.#showReading();
    this.onChange(true);
  }

  /** @param {string} [rejection] why the newest answer does not fit */
  #showReading(rejection) {
    const shown = {
      ...this.reading,
      answers: this.#answers.accepted,
      isNameChosen: this.#seriesName === this.reading.name,
      summed: this.#answers.summed,
      rejection,
    };
    showReading(shown, { noun: this.noun, tableKey: this.tableKey });
  }
}
