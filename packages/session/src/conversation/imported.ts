import type { Message, MessagePart } from '@banister/provider';
import type { ConversationParts } from './conversation-parts.js';
import { mapCalls } from './map-calls.js';
import type { ChildTurn, ToolCallView, TurnRecord } from './turn-record.js';
import type { TurnUndo } from './turn-undo.js';

// A file of unknown origin tells what was said. Its approvals, effects and settings were not made on this device. These functions leave out
// everything that would act here on the word of the file's author.

/**
 * Returns the record of a turn from a file, without the options that its user gave, because a repetition of the turn would use them. The
 * option of a review stays, because it only asks the user for more decisions. The same is true for its child turns, at every depth.
 */
export function importedTurn<T extends TurnRecord>(turn: T): Omit<T, 'options'> & TurnRecord {
  return withoutOptions(mapCalls(turn, (call) => withoutApproval(withImportedChildren(call))));
}

function withoutOptions<T extends TurnRecord>({ options, ...turn }: T): Omit<T, 'options'> & TurnRecord {
  const { commit } = options ?? {};
  return { ...turn, ...(commit === undefined ? {} : { options: { commit } }) };
}

function withImportedChildren(call: ToolCallView): ToolCallView {
  return call.children === undefined ? call : { ...call, children: call.children.map(importedChild) };
}

function importedChild(child: ChildTurn): ChildTurn {
  const { messages, ...rest } = withoutOptions(child);
  return messages === undefined ? rest : { ...rest, messages: messages.map(importedMessage) };
}

/** Returns a message from a file, without approvals. */
function importedMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(withoutApproval) };
}

type Said = Pick<ConversationParts, 'turns' | 'conversation' | 'aside' | 'prefix'>;

/** Returns the turns and the messages of a conversation from a file. */
export function importedTurns({ turns, conversation, aside, prefix }: Said): Said {
  return {
    turns: turns.map(importedTurn),
    conversation: { messages: conversation.messages.map(importedMessage) },
    aside: aside.map(({ turn, messages, place }) => ({
      turn: importedTurn(turn),
      messages: messages.map(importedMessage),
      place,
    })),
    prefix: prefix && prefix.map(importedMessage),
  };
}

/**
 * Returns a part from a file. An answer to a provider's request for an approval contains the provider's id of the call, and the provider
 * would accept it as an approval by this user. Without that id the provider asks again.
 */
function withoutApproval<P extends MessagePart | ToolCallView>(part: P): P {
  if (part.type !== 'tool-call' || !part.hosted) return part;
  // A call without a result is asked about here.
  if ('state' in part && part.state !== 'settled') return part;
  const { providerCallId: _name, ...rest } = part;
  return rest as P;
}

/** Returns the effects of a turn from a file: `lost`, without the data that would move them. */
export function importedUndo(undo: TurnUndo): TurnUndo {
  const calls = undo.calls.map((call) => ({
    ...call,
    steps: call.steps.map(({ data: _data, ...step }) => ({ ...step, imported: true as const })),
  }));
  return { ...undo, calls };
}
