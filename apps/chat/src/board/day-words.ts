/** A day as a calendar shows it, "Mon 8 Jun"; null for a text that is none. */
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

/** A day as one says it today: "Today", "Tomorrow", else as a calendar shows it. */
export function dueWords(day: string, now = new Date()): string {
  const away = Math.round(
    (Date.parse(`${day}T00:00:00Z`) - Date.parse(`${dayOf(now)}T00:00:00Z`)) / 86_400_000,
  );
  return ['Yesterday', 'Today', 'Tomorrow'][away + 1] ?? dayWords(day) ?? day;
}

/** The day of a time where the user is, as YYYY-MM-DD. @param away days after it */
export function dayOf(time: Date, away = 0): string {
  const day = new Date(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate() + away));
  return day.toISOString().slice(0, 10);
}
