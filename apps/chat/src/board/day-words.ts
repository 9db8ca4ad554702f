/** Returns a day as in a calendar, "Mon 8 Jun"; null if the text is not a day. */
export function dayWords(day: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return null;
  const parts = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).formatToParts(date);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('weekday')} ${part('day')} ${part('month')}`;
}

/** Returns a day in words relative to today: "Today", "Tomorrow", else as in a calendar. */
export function dueWords(day: string, now = new Date()): string {
  const away = Math.round(
    (Date.parse(`${day}T00:00:00Z`) - Date.parse(`${dayOf(now)}T00:00:00Z`)) / 86_400_000,
  );
  return ['Yesterday', 'Today', 'Tomorrow'][away + 1] ?? dayWords(day) ?? day;
}

/** Returns the user's local day at a time, as YYYY-MM-DD. @param away days to add */
export function dayOf(time: Date, away = 0): string {
  const day = new Date(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate() + away));
  return day.toISOString().slice(0, 10);
}
