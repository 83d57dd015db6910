// The answers to the questions about a table, which are parameters of its reading.

/** The answers that add all series up. */
const SUMMED = { layout: "columns", duplicates: "sum" };

/** The answers to send, and those of the reading that is shown. */
export class Answers {
  /** @type {Record<string, string>} */
  #answers;
  /** @type {Record<string, string>} */
  #accepted;
  /** @type {import("./session.js").Sum|null} */
  #sum;

  constructor(answers = {}, sum = null, accepted = {}) {
    [this.#answers, this.#sum, this.#accepted] = [{ ...answers }, sum, accepted];
  }

  /** The answers to be kept. */
  get snapshot() {
    return { answers: { ...this.#answers }, sum: this.#sum };
  }

  /** The answers to send. */
  get sent() {
    return nonEmpty(this.#answers);
  }

  /** The answers of the reading that is shown. */
  get accepted() {
    return nonEmpty(this.#accepted);
  }

  /** The names of the series that are added up, null if none are. */
  get summed() {
    const isSum = Object.entries(SUMMED).every(([name, value]) => this.#answers[name] === value);
    return this.#sum && isSum ? this.#sum.names : null;
  }

  set(name, value) {
    this.#answers[name] = value;
  }

  /** Add up all series, which have these names. */
  addUp(names) {
    this.#sum = { names, answers: this.#answers };
    this.#answers = { ...this.#answers, ...SUMMED };
  }

  /** Show the series one by one again; return whether they were added up. */
  endSum() {
    if (!this.summed) return false;
    const { layout, duplicates } = this.#sum.answers;
    Object.assign(this.#answers, { layout, duplicates });
    return true;
  }

  /** The reading that is shown has these answers. */
  accept() {
    this.#accepted = { ...this.#answers };
  }

  /** The service rejected the newest answer: take it back. */
  reject() {
    this.#answers = { ...this.#accepted };
  }
}

function nonEmpty(answers) {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer));
}
