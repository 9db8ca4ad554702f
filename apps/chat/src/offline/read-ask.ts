import type { Message } from '@banister/session';
import { toolCallsOf, type ProviderRequest, type ToolResultPart } from '@banister/provider';
import { factsIn, type KnownFacts } from './known-facts.js';
import type { Outcome } from './step.js';
import { readCards, type ListedCard } from './tell-outcomes.js';
import { filesIn, isTextFile } from './word-on-files.js';

/** The content of a request, as the rules read it. */
export interface Ask {
  /** The message with which the turn began. */
  readonly text: string;
  /** The files of that message, described in words. */
  readonly files: readonly string[];
  /** The messages that joined the turn while it ran, in order. */
  readonly steers: readonly Steer[];
  /** The session's notes on earlier turns: effects that were reverted, and effects that remain. */
  readonly note: string | null;
  /** The title of the card that the user points at. */
  readonly selected: string | null;
  /** The cards that the request lists; empty if it lists none. */
  readonly cards: readonly ListedCard[];
  /** The remembered facts that the request has. */
  readonly known: KnownFacts;
  /** Outcomes of the turn so far, one list for each round. */
  readonly rounds: readonly (readonly Outcome[])[];
  /** Whether the request has less than the whole conversation, so that rounds of the turn may be missing. */
  readonly isCompacted: boolean;
  /** The last earlier turn that changed the board; null if the request has no such turn. */
  readonly past: PastWork | null;
  /** The earlier answers of the model, as one text. */
  readonly said: string;
  /** The messages of the user before the message with which the turn began, in order. */
  readonly before: readonly string[];
  /** Whether the session has a skill that the model has not read in an earlier turn. */
  readonly canReadSkill: boolean;
}

/** An earlier turn, with the changes that it made. */
export interface PastWork {
  /** The message with which the turn began. */
  readonly text: string;
  readonly outcomes: readonly Outcome[];
}

/** A message that joined a running turn. */
export interface Steer {
  readonly text: string;
  /** The number of rounds of the turn before the message. */
  readonly after: number;
}

/** The beginning of the note that replaces calls and their results. */
const SHORT_CALLS = '<note>\nEarlier calls of tools, shortened:';
const USE_DOMAIN = 'banister.use_domain';
const NOTE = /^<note>\n([\s\S]*)\n<\/note>$/;

/** Reads what the request asks for, and how far the turn has come. */
export function readAsk({ system, messages, tools, idempotencyKey }: ProviderRequest): Ask {
  const start = startOfTurn(messages, roundsBefore(idempotencyKey));
  const asked = messages[start];
  const notes = asked?.parts.flatMap((part) =>
    part.type === 'text' ? (NOTE.exec(part.text)?.[1] ?? []) : [],
  );
  const earlier = messages.slice(0, Math.max(start, 0));
  const rest = messages.slice(start + 1);
  return {
    text: textIn(asked),
    files: filesIn(asked),
    steers: rest.flatMap((message, index) =>
      isAsk(message) ? { text: textIn(message), after: rest.slice(0, index).filter(isAnswer).length } : [],
    ),
    note: notes && notes.length > 0 ? notes.join('\n') : null,
    selected: selectedIn(system),
    cards: cardsIn(system),
    known: factsIn(system),
    rounds: roundsAfter(rest),
    isCompacted: messages.some(({ kind }) => kind === 'summary'),
    past: pastWork(earlier),
    said: earlier.filter(isAnswer).map(textIn).join('\n'),
    before: earlier.filter(isAsk).map(textIn),
    canReadSkill:
      tools.some(({ name }) => name === USE_DOMAIN) &&
      !earlier.flatMap(toolCallsOf).some(({ tool }) => tool === USE_DOMAIN),
  };
}

/** The tools that change nothing. */
const reading: ReadonlySet<string> = new Set(['board.list_cards', 'memory.search', USE_DOMAIN]);

/** Returns the last turn in the messages that changed the board. */
function pastWork(messages: readonly Message[]): PastWork | null {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.callId, result]));
  const changesIn = (message: Message): readonly Outcome[] =>
    toolCallsOf(message).flatMap((call) => {
      const result = results.get(call.id);
      return result?.outcome === 'success' && !reading.has(call.tool) ? [{ call, result }] : [];
    });
  const last = messages.findLastIndex((message) => changesIn(message).length > 0);
  if (last < 0) return null;
  const start = startOfTurn(messages.slice(0, last + 1));
  const outcomes = messages.slice(start + 1, last + 1).flatMap(changesIn);
  return start < 0 ? null : { text: textIn(messages[start]), outcomes };
}

/**
 * Returns the number of earlier rounds of the turn. A request's key ends with it; Infinity if the key has no
 * number.
 */
function roundsBefore(idempotencyKey: string): number {
  const number = Number(/-(\d+)$/.exec(idempotencyKey)?.[1]);
  return number > 0 ? number - 1 : Infinity;
}

/**
 * Returns the position of the message that began the turn. A message that joined a turn follows results. A
 * message that began a turn may also follow results, if the previous turn was stopped. Such a message carries
 * a note, or as many answers follow it as the turn has had rounds.
 *
 * @param rounds the finished rounds of the turn
 */
function startOfTurn(messages: readonly Message[], rounds = Infinity): number {
  const start = messages.findLastIndex(isAsk);
  const before = messages.slice(0, Math.max(start, 0)).findLastIndex((message) => !isAsk(message));
  const isBehindResults = before >= 0 && resultsOf(messages[before]!).length > 0;
  const answers = messages.slice(start + 1).filter(isAnswer).length;
  const joined = isBehindResults && answers < rounds && !messages.slice(before + 1).some(hasNote);
  return joined ? startOfTurn(messages.slice(0, before), rounds - answers) : start;
}

/**
 * Returns whether the user wrote the message, because tool results, summaries and notes also have the role of
 * the user.
 */
function isAsk(message: Message): boolean {
  const { role, kind, parts } = message;
  if (role !== 'user' || kind === 'summary' || resultsOf(message).length > 0) return false;
  return !parts.some((part) => part.type === 'text' && part.text.startsWith(SHORT_CALLS));
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant';
}

function hasNote({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'text' && NOTE.test(part.text));
}

function textIn(message: Message | undefined): string {
  return (message?.parts ?? [])
    .flatMap((part) =>
      part.type === 'text' && !NOTE.test(part.text) && !isTextFile(part.text) ? part.text : [],
    )
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

function cardsIn(system: string): readonly ListedCard[] {
  const found = /Selected: (?:"(?:[^"\\]|\\.)*"|nothing)\. Cards: (\[.*\])$/m.exec(system)?.[1];
  return found === undefined ? [] : readCards(JSON.parse(found));
}
