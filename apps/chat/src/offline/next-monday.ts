/** Returns the Monday after a day, as YYYY-MM-DD; with `away`, a later day of that week. */
export function nextMonday(day: Date, away = 0): string {
  const monday = new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()));
  monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7 || 7) + away);
  return monday.toISOString().slice(0, 10);
}
