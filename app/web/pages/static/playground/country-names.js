// Names of countries and their parts, and the codes of the service.

/** Names are in English, as the page; those in the languages of the browser are accepted, too. */
const LANGUAGE = "en";
/** Switches holidays off. */
const NO_HOLIDAYS = "NONE";

export class CountryNames {
  /** Codes by the names that may be typed. */
  #codes = new Map();
  /** Names of countries by code. */
  #names = new Map();

  /** @param {string} written as the page has them: `AU -ACT -NSW` are AU, AU-ACT and AU-NSW */
  constructor(written) {
    const names = new Intl.DisplayNames([LANGUAGE], { type: "region" });
    const ownNames = new Intl.DisplayNames([...navigator.languages, LANGUAGE], { type: "region" });
    this.codes = [NO_HOLIDAYS];
    this.#names.set(NO_HOLIDAYS, "None");
    this.#codes.set(NO_HOLIDAYS, NO_HOLIDAYS);
    let country;
    for (const word of written.trim().split(/\s+/)) {
      const continuesCountry = word.startsWith("-");
      if (!continuesCountry) country = word;
      const code = continuesCountry ? country + word : word;
      this.codes.push(code);
      this.#names.set(code, names.of(country));
      this.#codes.set(code, code);
      if (continuesCountry) continue;
      for (const known of [ownNames, names]) this.#codes.set(simplifyName(known.of(country)), code);
    }
  }

  /** The code for a name, or for a code in any case; null if unknown. */
  codeOf(typed) {
    const asCode = this.#codes.get(typed.trim().toUpperCase());
    return asCode ?? this.#codes.get(simplifyName(typed)) ?? null;
  }

  /** The name of a country; the code of a part. */
  nameOf(code) {
    return isPart(code) ? code : this.#names.get(code);
  }

  /** An example of a part of a country; null if it has none. */
  partOf(country) {
    return this.codes.find((code) => code.startsWith(`${country}-`)) ?? null;
  }

  /** The options of a list: countries by name, each before its parts. */
  options() {
    const { compare } = new Intl.Collator(LANGUAGE);
    const byName = (a, b) => compare(this.#names.get(a), this.#names.get(b));
    return [...this.codes]
      .sort(byName) // which keeps parts behind their country
      .map((code) => new Option(isPart(code) ? this.#names.get(code) : code, this.nameOf(code)));
  }
}

function isPart(code) {
  return code.includes("-");
}

/** The letters of a name, without case and accents. */
function simplifyName(name) {
  return name.normalize("NFKD").replace(/[^\p{L}]/gu, "").toLowerCase();
}
