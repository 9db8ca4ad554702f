import { hashesOf } from '@banister/provider/internal/json/hash';
import { set, type Change } from './change.js';
import type { BegunNote, FoldState } from './session-state.js';

/** How many commands are noted with what they started. */
const KEPT_NOTES = 256;
/** How many commands before the commands with notes are known by a hash of the id. */
const KEPT_HASHES = 10_000;
/** The number of characters of a hash. */
const LENGTH = 8;

/**
 * Returns the note of a command that an owner of the log has begun; `before` if the command began before the commands with notes; null if no
 * owner of the log has begun the command.
 */
export function begunCommand({ fold }: Pick<FoldState, 'fold'>, id: string): BegunNote | 'before' | null {
  const note = fold.begun.findLast((one) => one.id === id);
  if (note !== undefined) return note;
  const { begunBefore } = fold;
  const hash = begunBefore === '' ? '' : hashOf(id);
  for (let at = 0; at < begunBefore.length; at += LENGTH)
    if (begunBefore.startsWith(hash, at)) return 'before';
  return null;
}

/** Returns the changes that note a command as begun. */
export function commandNoted({ fold }: FoldState, id: string): readonly Change[] {
  const { begun, begunBefore } = fold;
  const more = begun.length - KEPT_NOTES + 1;
  const kept = set(['fold', 'begun'], [...begun.slice(Math.max(0, more)), { id }]);
  if (more <= 0) return [kept];
  const old = begun.slice(0, more).map((note) => hashOf(note.id));
  return [kept, set(['fold', 'begunBefore'], (begunBefore + old.join('')).slice(-KEPT_HASHES * LENGTH))];
}

/** Returns the changes that add fields to the newest note that `matches` accepts; none if `matches` accepts no note. */
export function noteBegun(
  { fold }: FoldState,
  matches: (note: BegunNote) => boolean,
  fields: Partial<BegunNote>,
): readonly Change[] {
  const index = fold.begun.findLastIndex(matches);
  return index < 0 ? [] : [set(['fold', 'begun', index], { ...fold.begun[index], ...fields })];
}

/**
 * Returns 40 bits of the hashes of an id, as text. An id has the hash of one of 10,000 other ids with a probability of one in a hundred
 * million, so practically no id counts as begun by chance.
 */
function hashOf(id: string): string {
  return hashesOf(id)
    .map((hash) => (hash >>> 12).toString(36).padStart(LENGTH / 2, '0'))
    .join('');
}
