// Countries and their parts: names that people type, codes that the service knows.

/** The page is in English, and so are the names; those of the browser's languages may be typed, too. */
const LANGUAGE = "en";
/** Switches holidays off. */
const NO_HOLIDAYS = "NONE";

export class CountryNames {
  /** Codes by what may be typed for them. */
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
      const isPart = word.startsWith("-");
      if (!isPart) country = word;
      const code = isPart ? country + word : word;
      this.codes.push(code);
      this.#names.set(code, names.of(country));
      this.#codes.set(code, code);
      if (isPart) continue;
      for (const known of [ownNames, names]) this.#codes.set(simplified(known.of(country)), code);
    }
  }

  /** The code of a name or of a code in any case; null for what is neither. */
  codeOf(typed) {
    const asCode = this.#codes.get(typed.trim().toUpperCase());
    return asCode ?? this.#codes.get(simplified(typed)) ?? null;
  }

  /** The name of a country; a part has none but its code. */
  nameOf(code) {
    return isPart(code) ? code : this.#names.get(code);
  }

  /** A part of a country, as an example; null where it has none that is known. */
  partOf(country) {
    return this.codes.find((code) => code.startsWith(`${country}-`)) ?? null;
  }

  /** What a list offers: countries by their names, each before its parts. */
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
function simplified(name) {
  return name.normalize("NFKD").replace(/[^\p{L}]/gu, "").toLowerCase();
}
