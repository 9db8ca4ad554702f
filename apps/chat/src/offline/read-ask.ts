import { toolCallsOf, type Message, type ProviderRequest, type ToolResultPart } from '@handrail/session';
import type { Outcome } from './step.js';

/** The content of a request, as the rules read it. */
export interface Ask {
  /** The message with which the turn began. */
  readonly text: string;
  /** The messages that joined the turn while it ran, in their order. */
  readonly steers: readonly Steer[];
  /** The session's notes on earlier turns: effects that were reverted, and effects that remain. */
  readonly note: string | null;
  /** The title of the card that the user points at. */
  readonly selected: string | null;
  /** Outcomes of the turn so far, one list for each round. */
  readonly rounds: readonly (readonly Outcome[])[];
}

/** A message that joined a running turn. */
export interface Steer {
  readonly text: string;
  /** The rounds of the turn that were over by then. */
  readonly after: number;
}

const NOTE = /^<note>\n([\s\S]*)\n<\/note>$/;

/** Reads what the request asks for, and how far the turn has come. */
export function readAsk({ system, messages }: ProviderRequest): Ask {
  const start = startOfTurn(messages);
  const asked = messages[start];
  const notes = asked?.parts.flatMap((part) =>
    part.type === 'text' ? (NOTE.exec(part.text)?.[1] ?? []) : [],
  );
  const rest = messages.slice(start + 1);
  return {
    text: textIn(asked),
    steers: rest.flatMap((message, index) =>
      isAsk(message) ? { text: textIn(message), after: rest.slice(0, index).filter(isAnswer).length } : [],
    ),
    note: notes && notes.length > 0 ? notes.join('\n') : null,
    selected: selectedIn(system),
    rounds: roundsAfter(rest),
  };
}

/**
 * The position of the message that began the turn. Results stand before a message that joined. They can stand before one that begins a
 * turn too, where the turn before was stopped: that one carries a note.
 */
function startOfTurn(messages: readonly Message[]): number {
  const start = messages.findLastIndex(isAsk);
  const before = messages.slice(0, Math.max(start, 0)).findLastIndex((message) => !isAsk(message));
  const joined = before >= 0 && !isAnswer(messages[before]!) && !messages.slice(before + 1).some(hasNote);
  return joined ? startOfTurn(messages.slice(0, before)) : start;
}

/** Whether the user wrote it: tool results have the role of the user, too. */
function isAsk(message: Message): boolean {
  return message.role === 'user' && resultsOf(message).length === 0;
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant';
}

function hasNote({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'text' && NOTE.test(part.text));
}

function textIn(message: Message | undefined): string {
  return (message?.parts ?? [])
    .flatMap((part) => (part.type === 'text' && !NOTE.test(part.text) ? part.text : []))
    .join(' ');
}

function roundsAfter(messages: readonly Message[]): readonly (readonly Outcome[])[] {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.callId, result]));
  return messages.filter(isAnswer).map((message) =>
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
