"""How the playground reads text: its modules, run in a page of a real browser."""

from collections.abc import Callable
from typing import Any

from app.forecasting.calendar.frequency import UNITS
from app.pages.assets import COLLECTIONS

Read = Callable[..., dict[str, Any]]
FOLDER = f"/static/pages/{COLLECTIONS['pages'].version}/playground"
UNIT_TABLE = [
    {"frequency": str(frequency)} | {"seconds": u.seconds, "months": u.months, "noun": u.noun}
    for frequency, u in UNITS.items()
]
THIS_YEAR = 2026
# ``words`` is all that the page says, a sentence a line; ``written`` are timestamps in the form of
# the paste.
READ = """async ([folder, text, units, choices, timestamps]) => {
    const {readSeries} = await import(`${folder}/reading.js`);
    const {questionsOf} = await import(`${folder}/reading/questions.js`);
    const {remarksOf, warningsOf} = await import(`${folder}/reading/words.js`);
    const {formatCivil} = await import(`${folder}/civil.js`);
    const reading = readSeries(text, units, choices);
    const {points, spacing, writeDate} = reading;
    const dates = points.map((point) => formatCivil(point.seconds) + point.suffix);
    const questions = questionsOf(reading);
    const warnings = warningsOf(reading);
    const sentences = [
        ...warnings, ...questions.map(({said}) => said), ...remarksOf(reading)];
    const inWords = (part) => typeof part === 'string' ? part : `line ${part.line}`;
    return {
        ...reading,
        dates,
        first: dates[0],
        last: dates.at(-1),
        values: points.map((point) => point.value),
        lines: points.map((point) => point.line),
        frequency: spacing?.frequency,
        step: spacing?.step,
        strays: spacing?.strays,
        firstMissing: spacing?.holes.map((hole) => formatCivil(hole.moment(0))),
        asks: questions.filter(({asks}) => asks).map(({id}) => id),
        words: sentences.map((sentence) => sentence.map(inWords).join('')).join('\\n'),
        written: Object.fromEntries(timestamps.map((each) => [each, writeDate(each)])),
        warned: warnings.length,
        writeDate: null,
        points: null,
        spacing: null,
    };
}"""
DECODE = """async ([folder, name, bytes]) => {
    const {decodeFile} = await import(`${folder}/reading/decode.js`);
    return decodeFile(name, new Uint8Array(bytes));
}"""
