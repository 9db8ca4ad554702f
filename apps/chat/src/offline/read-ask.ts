import { toolCallsOf, type Message, type ProviderRequest, type ToolResultPart } from '@handrail/session';
import type { Outcome } from './step.js';

/** The content of a request, as the rules read it. */
export interface Ask {
  /** The user's last message. */
  readonly text: string;
  /** The session's notes on earlier turns: effects that were reverted, and effects that remain. */
  readonly note: string | null;
  /** The title of the card that the user points at. */
  readonly selected: string | null;
  /** Outcomes of the turn so far, one list for each round. */
  readonly rounds: readonly (readonly Outcome[])[];
}

const NOTE = /^<note>\n([\s\S]*)\n<\/note>$/;

/** Reads what the request asks for, and how far the turn has come. */
export function readAsk({ system, messages }: ProviderRequest): Ask {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && resultsOf(message).length === 0,
  );
  const asked = messages[start];
  const notes = asked?.parts.flatMap((part) =>
    part.type === 'text' ? (NOTE.exec(part.text)?.[1] ?? []) : [],
  );
  const text = asked?.parts
    .flatMap((part) => (part.type === 'text' && !NOTE.test(part.text) ? part.text : []))
    .join(' ');
  return {
    text: text ?? '',
    note: notes && notes.length > 0 ? notes.join('\n') : null,
    selected: selectedIn(system),
    rounds: roundsAfter(messages.slice(start + 1)),
  };
}

function roundsAfter(messages: readonly Message[]): readonly (readonly Outcome[])[] {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.callId, result]));
  return messages
    .filter((message) => message.role === 'assistant')
    .map((message) =>
      toolCallsOf(message).flatMap((part) => {
        const result = results.get(part.id);
        return result ? [{ call: part, result }] : [];
      }),
    );
}

function resultsOf(message: Message): readonly ToolResultPart[] {
  return message.parts.filter((part) => part.type === 'tool-result');
}

function selectedIn(system: string): string | null {
  const found = /Selected: ("(?:[^"\\]|\\.)*")\./.exec(system)?.[1];
  return found === undefined ? null : (JSON.parse(found) as string);
}
