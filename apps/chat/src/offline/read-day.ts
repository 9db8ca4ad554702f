import { dayOf } from '../board/day-words.js';

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/**
 * Returns the days that some words may mean, as YYYY-MM-DD: an empty list if they name no day, several days
 * if they are ambiguous.
 */
export function readDays(text: string, now = new Date()): readonly string[] {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(?:on|by|for|at)\s+/, '')
    .replace(/^the\s+/, '');
  if (words === 'today') return [dayOf(now)];
  if (words === 'tomorrow') return [dayOf(now, 1)];
  const [, which, weekday] = /^(?:(this|next)\s+)?([a-z]+day)$/.exec(words) ?? [];
  const wanted = weekdays.indexOf(weekday ?? '');
  if (wanted >= 0) {
    const away = (wanted - now.getDay() + 7) % 7;
    // If today is that weekday, or with "next", the day may be a week later.
    return which === 'next' || (away === 0 && which === undefined)
      ? [dayOf(now, away), dayOf(now, away + 7)]
      : [dayOf(now, away)];
  }
  return isoDay(words) ?? calendarDay(words, now) ?? [];
}

function isoDay(words: string): readonly string[] | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(words)) return null;
  const date = new Date(`${words}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(words) ? [words] : [];
}

/** Reads "4 Dec" or "December 4th" as the next such day. */
function calendarDay(words: string, now: Date): readonly string[] | null {
  const [, before, name, after] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?([a-z]{3,9})\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?$/.exec(
      words,
    ) ?? [];
  const month = months.findIndex((one) => name !== undefined && one.startsWith(name));
  const day = Number(before ?? after);
  if (month < 0 || (before === undefined) === (after === undefined)) return null;
  const days = [0, 1].flatMap((years) => {
    const date = new Date(Date.UTC(now.getFullYear() + years, month, day));
    return date.getUTCMonth() === month ? [date.toISOString().slice(0, 10)] : [];
  });
  const next = days.find((one) => one >= dayOf(now));
  return next === undefined ? [] : [next];
}
