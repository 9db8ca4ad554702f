import { beginningOf, enclosed, quoted, quotedId } from '@banister/provider/internal/messages/foreign-text';
import { wellFormed } from '@banister/provider/internal/json/well-formed';
import * as told from '../conversation/agent-words.js';
import {
  allCallsOf,
  callsOf,
  type ChildTurn,
  type RejectionReason,
  type StopReason,
  type UndoItem,
  type UndoReport,
} from '../conversation/turn-record.js';
import { withNoun } from '../limits/with-noun.js';
import type { RunResult } from '../tools/run.js';
import { MAX_RESULT_LENGTH } from '../tools/tool-result.js';

/** The highest number of effects, and of tools, in one line. */
const MOST_LISTED = 20;

/** The room for the tag around the text. */
const TAG_ROOM = 100;

/**
 * Returns what the model that delegated a task reads: the text of the agent inside a tag, which the text cannot end, then the lines of the
 * library. A text that is too long is shortened at its end.
 *
 * @param agent the id of the agent
 * @param child the record of the child turn; undefined if no child turn began
 */
export function toldResult(
  agent: string,
  child: Pick<ChildTurn, 'rounds'> | undefined,
  result: RunResult,
): string {
  const lines = linesOf(agent, child, result).join('\n');
  if (result.text === '') return lines;
  return `${shortened(result.text, MAX_RESULT_LENGTH - lines.length - TAG_ROOM)}\n${lines}`;
}

function shortened(text: string, most: number): string {
  let length = most;
  let inside = enclosed('answer', text);
  // The tag escapes parts of the text, so that it may become longer.
  while (inside.length > most + TAG_ROOM / 2) {
    inside = enclosed('answer', `${wellFormed(beginningOf(text, length).slice(0, length))}…`);
    length -= Math.max(1, inside.length - most);
  }
  return inside;
}

function linesOf(
  agent: string,
  child: Pick<ChildTurn, 'rounds'> | undefined,
  result: RunResult,
): readonly string[] {
  const { effects } = result;
  const ends = result.status === 'completed' || result.status === 'stopped';
  return [
    statusLine(quotedId(agent), child, result),
    ...(ends && effects.length > 0 ? [told.childChanged(listed(effects.map(describe)))] : []),
    ...refusedLine(child, ['declined'], told.childRefusedByUser),
    ...refusedLine(child, ['denied', 'middleware'], told.childRefusedByGuard),
  ];
}

function statusLine(agent: string, child: Pick<ChildTurn, 'rounds'> | undefined, result: RunResult): string {
  const moved = movedTexts(result.report ?? {}, result.effects);
  switch (result.status) {
    case 'completed': {
      const calls = child?.rounds.flatMap(callsOf).length ?? 0;
      return told.childCompleted(agent, withNoun(result.rounds, 'round'), withNoun(calls, 'call'));
    }
    case 'stopped':
      return told.childStopped(agent, stopText(result.stop), result.text !== '');
    case 'cancelled':
      return told.childCancelled(agent, moved);
    case 'failed': {
      const { code, message } = result.error ?? { code: 'server', message: '' };
      return told.childFailed(agent, `${code}: ${quoted(message)}`, moved);
    }
  }
}

/** Returns the reason of a stop. Only the words for limits are of the library; a tool, a middleware or a provider wrote any other. */
function stopText(stop: StopReason | undefined): string {
  const { code, details } = stop?.limit ?? {};
  const limit = details?.['limit'];
  if (typeof limit === 'number') {
    if (code === 'max-rounds') return told.childLimit(withNoun(limit, 'round'));
    if (code === 'max-tool-calls') return told.childLimit(withNoun(limit, 'call'));
    if (code === 'timeout') return told.childLimit(withNoun(limit / 1000, 'second'));
    if (code === 'token-budget') return told.childLimit(withNoun(limit, 'token'));
  }
  return code ?? (stop === undefined ? 'other' : `${stop.kind}: ${quoted(stop.message)}`);
}

/** The effects of a report that a sentence names. */
type Moved = { readonly [List in keyof UndoReport]?: readonly UndoItem[] };

/** Returns the sentences about effects that were taken back, that are still there, and that may be there. */
export function movedTexts(report: Moved, effects: readonly UndoItem[] = []): readonly string[] {
  const { done = [], failed = [], irreversible = [], lost = [], unknown = [] } = report;
  const stay = new Set([...effects, ...failed, ...irreversible, ...lost].map(describe));
  return [
    ...(done.length > 0 ? [told.childTakenBack(listed(done.map(describe)))] : []),
    ...(stay.size > 0 ? [told.childStillThere(listed([...stay]))] : []),
    ...(unknown.length > 0 ? [told.childMayBeThere(listed(unknown.map(describe)))] : []),
  ];
}

function refusedLine(
  child: Pick<ChildTurn, 'rounds'> | undefined,
  reasons: readonly RejectionReason[],
  line: (tools: string) => string,
): readonly string[] {
  const refused = allCallsOf(child).filter(({ rejection }) => rejection && reasons.includes(rejection));
  const tools = new Set(refused.map(({ tool }) => quotedId(tool)));
  return tools.size === 0 ? [] : [line(listed([...tools]))];
}

function describe({ description }: UndoItem): string {
  return quoted(description);
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MOST_LISTED;
  return [...texts.slice(0, MOST_LISTED), ...(more > 0 ? [told.andMore(more)] : [])].join('; ');
}
