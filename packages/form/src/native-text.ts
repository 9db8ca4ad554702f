/** Browser controls for dates and times, which have a text format of their own. */
export type NativeInput = 'date' | 'time' | 'datetime-local';

const date = String.raw`(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?`;
const zone = String.raw`Z|[+-][0-2]\d:[0-5]\d`;
const patterns: Readonly<Record<NativeInput, RegExp>> = {
  date: new RegExp(`^(${date})()$`),
  time: new RegExp(`^(${time})(${zone})?$`),
  'datetime-local': new RegExp(`^(${date}T${time})(${zone})?$`),
};

/** The text of a control, and the zone of the value: `Z`, `+02:00`, or empty. */
export interface NativeText {
  readonly text: string;
  readonly zone: string;
}

/** Returns the text with which a control shows a value; null if the control cannot show the value exactly. */
export function toNative(input: NativeInput, value: string): NativeText | null {
  const [, text, written = ''] = patterns[input].exec(value) ?? [];
  return text !== undefined && exists(input, text) ? { text, zone: written } : null;
}

/**
 * Returns the value for the text of a control; null if the text is not valid. A value keeps its zone. A new date with a time is read in
 * the user's zone and written in UTC, because every reader of `date-time` accepts UTC. A new time has no zone.
 *
 * @param written the zone of the value before; null for a new value
 */
export function fromNative(
  input: NativeInput,
  text: string,
  written: string | null,
  isShort: boolean,
): string | null {
  if (toNative(input, text)?.zone !== '') return null;
  if (input === 'date') return text;
  const whole = /:\d\d:/.test(text) || (isShort && text.length === 5) ? text : `${text}:00`;
  if (written !== null || input === 'time') return whole + (written ?? '');
  return new Date(whole).toISOString().replace('.000Z', 'Z');
}

/** Returns the label of the zone in which the control shows its time; null if there is none. */
export function zoneLabel(input: NativeInput, text: string, written: string | null): string | null {
  if (input === 'datetime-local' && written === null && text !== '') {
    const minutes = -new Date(text).getTimezoneOffset();
    const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return Number.isNaN(minutes) ? null : `UTC${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
  }
  return written === null || written === '' ? null : written === 'Z' ? 'UTC' : `UTC${written}`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}

/** False for a date that does not exist, such as the 30th of February. */
function exists(input: NativeInput, text: string): boolean {
  if (input === 'time') return true;
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
