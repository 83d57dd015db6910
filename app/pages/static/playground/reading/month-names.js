// Names of months and days of the week: English, German, French, Spanish.

const LANGUAGES = {
  en: "january february march april may june july august september october november december",
  de: "januar februar märz april mai juni juli august september oktober november dezember",
  fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
};
const SHORT_FRENCH = "janv févr mars avr mai juin juil août sept oct nov déc";
const MORE = { mrz: 3, janner: 1, jan: 1, feber: 2, juil: 7, sept: 9, setiembre: 9, set: 9 };
const WEEKDAYS =
  "monday tuesday wednesday thursday friday saturday sunday " +
  "montag dienstag mittwoch donnerstag freitag samstag sonntag " +
  "lundi mardi mercredi jeudi vendredi samedi dimanche " +
  "lunes martes miercoles jueves viernes sabado domingo";
const SHORTEST = 3;
const ASCII = /^[ -~]*$/;

/** Lower case without accents; of the same length as the composed string. */
export function plain(string) {
  if (ASCII.test(string)) return string.toLowerCase();
  return string.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

const NUMBERS = monthNumbers();

/** Which month a name or an abbreviation of it means, 1 to 12, or undefined. */
export function monthOf(name) {
  return NUMBERS.get(plain(name));
}

/** A pattern for a day of the week, in full or short. */
export const WEEKDAY = WEEKDAYS.split(" ")
  .map((name) => `${name.slice(0, 2)}(?:${nested(name.slice(2))})?`)
  .join("|");

/**
 * Write the month as those in `seen` are written: learnt from them, or in their language.
 *
 * @param {number} month 1 to 12
 * @param {Map<number, string>} seen by month; abbreviations may end with a point
 * @returns {string|null} null where their language is not known
 */
export function writeMonth(month, seen) {
  if (seen.has(month) || seen.size === 0) return seen.get(month) ?? null;
  const names = [...seen];
  const bare = (name) => plain(name).replace(".", "");
  const hasPoint = names.some(([, name]) => name.endsWith("."));
  const full = Object.values(LANGUAGES).map((list) => list.split(" "));
  const short = full.map((list) => list.map((name) => name.slice(0, SHORTEST)));
  const french = SHORT_FRENCH.split(" ");
  // English says Oct and Nov as well, but without a point.
  const written = [...full, ...(hasPoint ? [french, ...short] : [...short, french])]
    .find((list) => names.every(([number, name]) => plain(list[number - 1]) === bare(name)));
  if (!written) return null;
  const isWhole = full.some((list) => list[month - 1] === written[month - 1]);
  const point = hasPoint && !isWhole ? "." : "";
  const [sample] = seen.values();
  const name = written[month - 1] + point;
  if (sample === sample.toUpperCase()) return name.toUpperCase();
  return sample[0] === sample[0].toUpperCase() ? name[0].toUpperCase() + name.slice(1) : name;
}

/** Every beginning of a name that means one month alone. */
function monthNumbers() {
  const numbers = new Map();
  for (const list of Object.values(LANGUAGES)) {
    plain(list).split(" ").forEach((name, i) => {
      for (let length = SHORTEST; length <= name.length; length += 1) {
        const start = name.slice(0, length);
        const isShared = numbers.has(start) && numbers.get(start) !== i + 1;
        numbers.set(start, isShared ? undefined : i + 1);
      }
    });
  }
  return new Map([...numbers, ...Object.entries(MORE)]);
}

function nested(rest) {
  return rest === "" ? "" : `${rest[0]}${rest.length > 1 ? `(?:${nested(rest.slice(1))})?` : ""}`;
}
