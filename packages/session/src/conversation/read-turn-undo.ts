import type { JsonObject } from '../json/json.js';
import { copyOf, listOf, objectOf, textOf, textsOf, wrong } from './saved-json.js';
import type { TurnUndo } from './turn-undo.js';

/** Returns a checked copy of the effects of a turn. Throws `invalid-configuration`, naming the place. */
export function readTurnUndo(value: unknown, at: string): TurnUndo {
  const undo = objectOf(copyOf(value, at), at);
  listOf(undo.domains, `${at}.domains`).forEach((id) => textOf(id, `${at}.domains`));
  readRevisions(undo.before, `${at}.before`);
  readRevisions(undo.after, `${at}.after`);
  listOf(undo.calls, `${at}.calls`).forEach((call, index) => readCall(call, `${at}.calls[${index}]`));
  return undo as unknown as TurnUndo;
}

function readRevisions(value: unknown, at: string): void {
  for (const [domain, revision] of Object.entries(objectOf(value, at)))
    if (typeof revision !== 'number') textOf(revision, `${at}.${domain}`);
}

function readCall(value: unknown, at: string): void {
  const call = textsOf(value, ['callId', 'tool'], at);
  readFlag(call, 'irreversible', at);
  listOf(call.steps, `${at}.steps`).forEach((given, index) => {
    const here = `${at}.steps[${index}]`;
    const step = textsOf(given, ['description', 'state'], here);
    if (!Number.isSafeInteger(step.step)) wrong(`${here}.step`, 'it is no number of a step');
    if (step.moves !== undefined && !Number.isSafeInteger(step.moves))
      wrong(`${here}.moves`, 'it is no count');
    readFlag(step, 'irreversible', here);
  });
}

function readFlag(object: JsonObject, field: string, at: string): void {
  if (typeof object[field] !== 'boolean') wrong(`${at}.${field}`, 'it is neither true nor false');
}
