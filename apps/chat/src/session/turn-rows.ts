import type { ToolCallView, TurnPart, TurnRecord } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { CompactionLine } from './compaction-line.js';
import { counted } from './counted.js';
import { partsBeside, type ShownTable } from './table-answer.js';
import { thinkingId } from './thinking-times.js';
import { isReading, verbsOf } from './tool-verbs.js';

/** Calls of an ended turn that are shown as one row, which unfolds all of them. */
export interface StepGroup {
  readonly state: 'done' | 'undone';
  readonly title: string;
  readonly summary: string;
  readonly calls: readonly ToolCallView[];
}

/** A row of a turn, with a stable key. */
export type TurnRow =
  | {
      readonly type: 'part';
      readonly key: string;
      readonly part: TurnPart;
      readonly isCurrent: boolean;
      /** The id of a block of thinking; null for other parts. */
      readonly thinking: string | null;
    }
  | { readonly type: 'group'; readonly key: string; readonly group: StepGroup }
  | { readonly type: 'mark'; readonly key: string; readonly line: CompactionLine }
  /** The list of questions, at the place of the calls that it is about. */
  | { readonly type: 'questions'; readonly key: 'questions' };

interface Circumstances {
  readonly table: ShownTable | null;
  readonly lines: readonly CompactionLine[];
  /** Whether nothing is being written any more. */
  readonly isStill: boolean;
  /** The ids of the calls that the list of questions is about; empty if the turn has no open questions. */
  readonly asked: readonly string[];
}

/** The same list for all turns without open questions, so that their rows are not computed again. */
export const noneAsked: readonly string[] = [];

/**
 * Returns everything that a turn shows between its message and its receipt, in order. In an ended turn,
 * consecutive calls of one kind are one row.
 */
export function turnRows(
  record: TurnRecord,
  { table, lines, isStill, asked }: Circumstances,
): readonly TurnRow[] {
  const { rounds, outcome } = record;
  const lastRound = rounds.at(-1);
  const rows = rounds.flatMap((round, index): readonly TurnRow[] => {
    let blocks = 0;
    return [
      ...marks(lines, index),
      ...partsBeside(table, round.parts).map((part, position): TurnRow => ({
        type: 'part',
        key: `${index}.${position}`,
        part,
        isCurrent: !isStill && round === lastRound && position === round.parts.length - 1,
        thinking: part.type === 'thinking' ? thinkingId(record.id, index, blocks++) : null,
      })),
    ];
  });
  if (outcome !== null) return folded(rows, record);
  return asked.length === 0 ? rows : withQuestions(rows, asked);
}

/** The list is shown at the place of its first call. The other calls are rows in the list. */
function withQuestions(rows: readonly TurnRow[], asked: readonly string[]): readonly TurnRow[] {
  const isAsked = (row: TurnRow): boolean =>
    row.type === 'part' && row.part.type === 'tool-call' && asked.includes(row.part.id);
  const at = rows.findIndex(isAsked);
  const place = at === -1 ? rows.length : at;
  return [
    ...rows.slice(0, place),
    { type: 'questions', key: 'questions' },
    ...rows.slice(place).filter((row) => !isAsked(row)),
  ];
}

function marks(lines: readonly CompactionLine[], round: number): readonly TurnRow[] {
  return lines.filter(({ before }) => before === round).map((line) => ({ type: 'mark', key: line.id, line }));
}

function folded(rows: readonly TurnRow[], record: TurnRecord): readonly TurnRow[] {
  const result: TurnRow[] = [];
  let state: StepGroup['state'] | null = null;
  let run: { readonly row: TurnRow; readonly call: ToolCallView }[] = [];
  const close = (): void => {
    const [first, second] = run;
    if (first && second && state !== null) {
      const group = groupOf(
        state,
        run.map(({ call }) => call),
      );
      result.push({ type: 'group', key: `group ${first.row.key}`, group });
    } else if (first) result.push(first.row);
    run = [];
  };
  for (const row of rows) {
    const part = row.type === 'part' ? row.part : null;
    // Opaque parts are not shown, and do not separate the calls around them.
    if (part?.type === 'opaque') continue;
    const next = part?.type === 'tool-call' ? foldedState(part, record) : null;
    if (next !== state) close();
    state = next;
    if (next !== null && part?.type === 'tool-call') run.push({ row, call: part });
    else result.push(row);
  }
  close();
  return result;
}

/**
 * Returns null for a call that gets its own row: a call that failed or was refused, or whose effect cannot be
 * undone.
 */
function foldedState(
  { id, tool, reverted, result, ranWith }: ToolCallView,
  { effects }: TurnRecord,
): StepGroup['state'] | null {
  if (reverted) return 'undone';
  if (result?.outcome !== 'success' || isReading(tool) || ranWith !== undefined) return null;
  const own = effects.filter(({ toolCallId }) => toolCallId === id);
  return own.length > 0 && own.every(({ irreversible }) => !irreversible) ? 'done' : null;
}

function groupOf(state: StepGroup['state'], calls: readonly ToolCallView[]): StepGroup {
  const counts = new Map<string, number>();
  for (const { tool } of calls) {
    const { done } = verbsOf(tool);
    counts.set(done, (counts.get(done) ?? 0) + 1);
  }
  const columns = new Set(calls.map(columnOf));
  const [column] = columns;
  const place = columns.size === 1 && column !== null ? ` to ${column}` : '';
  const summary =
    counts.size === 1
      ? [...counts.keys()].join() + place
      : [...counts].map(([verb, count]) => `${count} ${verb}`).join(', ');
  return { state, title: counted(calls.length, 'change'), summary, calls };
}

function columnOf({ ranWith, arguments: given }: ToolCallView): string | null {
  const args = ranWith ?? given;
  const column = isJsonObject(args) ? args['column'] : undefined;
  return typeof column === 'string' ? column : null;
}

/**
 * The colour of the rail beside a turn: green while it runs; afterwards coloured only if some of its effects
 * are in effect.
 */
export type TurnRail = 'live' | 'held' | 'undone' | 'none';

export function turnRail({ outcome, effects, undo }: TurnRecord): TurnRail {
  if (outcome === null) return 'live';
  if (undo?.state === 'undone') return 'undone';
  return effects.some(({ irreversible }) => !irreversible) ? 'held' : 'none';
}
