import type { MessagePart } from './content.js';
import type { Message } from './message.js';
import type { TurnPart, TurnRecord } from './turn-record.js';
import type { TurnUndo } from './turn-undo.js';

// A file that comes from elsewhere says what was said. What it says about approvals, effects and settings is not of this device: these functions
// leave out what would act here by the word of its author.

/**
 * Returns the record of a turn of a file, without the options that its user gave: another turn like it would have them. That of a review
 * stays, since it only asks for more.
 */
export function importedTurn<T extends TurnRecord>({ options, ...turn }: T): Omit<T, 'options'> & TurnRecord {
  const { commit } = options ?? {};
  return {
    ...turn,
    ...(commit === undefined ? {} : { options: { commit } }),
    rounds: turn.rounds.map((round) => ({ ...round, parts: round.parts.map(withoutApproval) })),
  };
}

/** Returns a message of a file. */
export function importedMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(withoutApproval) };
}

/**
 * Returns a part of a file. An answer to a provider that asked for an approval names the call of the provider, which would take it as the word of
 * this user: without that name the provider asks again.
 */
function withoutApproval<P extends MessagePart | TurnPart>(part: P): P {
  if (part.type !== 'tool-call' || !part.hosted) return part;
  // A call of the record that has no result yet is asked about here.
  if ('state' in part && part.state !== 'settled') return part;
  const { providerCallId: _name, ...rest } = part;
  return rest as P;
}

/** Returns the effects of a turn of a file: `lost`, without the data that would move them. */
export function importedUndo(undo: TurnUndo): TurnUndo {
  const calls = undo.calls.map((call) => ({
    ...call,
    steps: call.steps.map(({ data: _data, ...step }) => ({ ...step, imported: true as const })),
  }));
  return { ...undo, calls };
}
