// A response of POST /read, and the readings of its series that are needed.

import { parseReading } from "./reading.js";

/** The readings of a table's series. */
export class TableReadings {
  #readings = new Map();

  /** @param {any} [body] of POST /read; null if the table could not be read */
  constructor(body = null) {
    this.body = body;
  }

  /** The questions about the table. */
  get questions() {
    return this.body?.questions ?? [];
  }

  /** The reading of the series of this name, or of the likeliest one; the same object each time. */
  of(name) {
    const reading = this.#readings.get(name) ?? parseReading(this.body, name);
    this.#readings.set(name, reading).set(reading.name, reading);
    return reading;
  }
}
