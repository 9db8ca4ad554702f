import { textOf, type AgentSession, type Message } from '@banister/session';
import { counted } from '../session/counted.js';

/** The note of a chat that has an open question. */
export const waiting = 'Waiting for you';

const LONGEST_TITLE = 60;
const DAY = 86_400_000;

/**
 * Returns the title of a chat: the first line of its first message, or the name of its first file; empty if
 * it has neither. Reads signals.
 */
export function titleOf({ turns, liveTurn }: AgentSession): string {
  const first = turns.value[0] ?? liveTurn.value;
  const [text = ''] = first ? textOf(first.input).trim().split('\n') : [];
  const line = text === '' && first ? firstFile(first.input) : text;
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

function firstFile({ parts }: Message): string {
  const [name = ''] = parts.flatMap((part) => ('name' in part && part.name !== undefined ? part.name : []));
  return name;
}

/** Returns the state of a chat in words. Reads signals. */
export function noteOf(session: AgentSession): string {
  if (session.pendingConfirmations.value.length > 0) return waiting;
  if (session.isRunning.value || session.interrupted.value !== null) return 'Not finished';
  const entries = session.undoEntries.value;
  const count = (some: typeof entries) => some.flatMap(({ effects }) => effects).length;
  const all = count(entries);
  const left = count(entries.filter(({ state }) => state !== 'undone'));
  if (all === 0) return 'No changes';
  if (left === 0) return 'Taken back';
  return left === all
    ? `${counted(all, 'change')} in effect`
    : `${counted(all, 'change')}, ${left} in effect`;
}

/** Returns when a chat was last used, in as few words as possible. */
export function timeWords(at: number, now: number, locale?: string): string {
  if (now - at < 60_000) return 'now';
  const then = new Date(at);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, options).format(then);
  if (at >= midnight) return format({ hour: 'numeric', minute: '2-digit' });
  if (at >= midnight - DAY) return 'Yesterday';
  if (at >= midnight - 6 * DAY) return format({ weekday: 'short' });
  return format({ day: 'numeric', month: 'short', year: 'numeric' });
}
