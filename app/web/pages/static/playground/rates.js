// False alarm rates: the steps of the slider, and a detection redrawn at another rate.

/** Within a factor of ten: short as a percentage, and as one in a number of points. */
const STEPS = ["1", "1.25", "2", "2.5", "4", "5", "8"];
/** A tail continues as steeply as over at least this change of the p-value: less would be noise. */
const SLOPE_FACTOR = 2;

/** The rates that a slider offers, the lowest first. */
export function rateSteps(lowest, highest) {
  const rates = [];
  for (let decade = Math.floor(Math.log10(lowest)); decade <= Math.log10(highest); decade += 1) {
    rates.push(...STEPS.map((step) => Number(`${step}e${decade}`)));
  }
  return rates.filter((rate) => rate >= lowest && rate <= highest);
}

/**
 * A detection as it is at another rate, from what it says itself.
 *
 * A p-value does not depend on the rate, so what is flagged is exact. A bound lies where the p-value
 * is the rate: its distance from what was expected is read off the pairs of distance and p-value
 * that the points of its side have, in units of the distance that it has now.
 *
 * @param {{response: object, values: number[], requestedRate: number, direction: string}} detection response of
 *     POST /anomalies, the values that it judges, the rate and the direction that were requested
 * @param {number} rate
 * @returns {{flagged: boolean[], lower: number[], upper: number[]}}
 */
export function detectionAtRate({ response, values, requestedRate, direction }, rate) {
  const { expected, lower_bound: lower, upper_bound: upper, p_value: p } = response;
  if (rate === requestedRate) return { flagged: response.is_anomaly, lower, upper };
  const factorOf = (bounds) => {
    const distances = values.map((value, i) => (value - expected[i]) / (bounds[i] - expected[i]));
    return distanceAt(rate, requestedRate, distances.map((distance, i) => ({ distance, p: p[i] })));
  };
  // The p-value is of the sides that are judged; the other side moves with them.
  const down = direction === "up" ? null : factorOf(lower);
  const up = direction === "down" ? null : factorOf(upper);
  const widen = (bounds, factor) =>
    bounds.map((bound, i) => expected[i] + factor * (bound - expected[i]));
  return {
    flagged: p.map((chance, i) => chance < rate && isJudged(values[i] - expected[i], direction)),
    lower: widen(lower, down ?? up ?? 1),
    upper: widen(upper, up ?? down ?? 1),
  };
}

/** Whether a point on this side of what was expected is judged. */
function isJudged(residual, direction) {
  return direction === "both" || residual > 0 === (direction === "up");
}

/**
 * The distance that clean points exceed at `rate`, in units of the one at the rate `requestedRate`; null
 * where no pair shows it.
 *
 * Distances are linear in the logarithm of the p-value between neighbouring points, and beyond them.
 */
function distanceAt(rate, requestedRate, pairs) {
  const known = distanceCurve([...pairs, { distance: 1, p: requestedRate }]);
  if (known.length < 2) return null;
  const level = -Math.log(rate);
  const after = known.findIndex((pair) => pair.level >= level);
  const [from, to] =
    after > 0 ? [known[after - 1], known[after]]
    : after === 0 ? [known[0], distantPair(known, known[0], 1)]
    : [distantPair(known, known.at(-1), -1), known.at(-1)];
  const slope = to.level > from.level ? (to.distance - from.distance) / (to.level - from.level) : 0;
  return Math.max(0, from.distance + slope * (level - from.level));
}

/** Pairs on the side of a bound as an increasing curve of distance over -log p. */
function distanceCurve(pairs) {
  const known = pairs
    .filter(({ distance, p }) => distance > 0 && Number.isFinite(distance) && p > 0 && p < 1)
    .map(({ distance, p }) => ({ distance, level: -Math.log(p) }))
    .sort((a, b) => a.level - b.level || a.distance - b.distance);
  let reached = 0;
  for (const pair of known) pair.distance = reached = Math.max(reached, pair.distance);
  return known;
}

/** The first pair from an end on that is far enough away from it, or else the other end. */
function distantPair(known, end, direction) {
  const inward = direction > 0 ? known : [...known].reverse();
  const isFar = ({ level }) => Math.abs(level - end.level) >= Math.log(SLOPE_FACTOR);
  return inward.find(isFar) ?? inward.at(-1);
}
