import type { AgentSession, TurnPart, TurnRecord } from '@banister/session';
import { outputOf } from '@banister/session/view';
import { visibleText } from '../text/visible-text.js';
import { counted } from './counted.js';

/** The answer to a message that asks for a table. */
export const tableSchema = {
  type: 'object',
  properties: {
    caption: { type: 'string', description: 'What the table is about, in a few words.' },
    columns: { type: 'array', items: { type: 'string' }, description: 'The header of each column.' },
    rows: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      description: 'The cells of each row, one a column; the first one names the row.',
    },
  },
  required: ['caption', 'columns', 'rows'],
  additionalProperties: false,
} as const;

/** A table as far as it has arrived, safe to show. */
export interface ShownTable {
  readonly caption: string;
  readonly columns: readonly string[];
  /** Each row has as many cells as the widest line. */
  readonly rows: readonly (readonly string[])[];
  /** Whether more rows may arrive. */
  readonly isGrowing: boolean;
}

/** Returns whether a message ends with a request for a table. Such a message changes nothing on the board. */
export function asksForTable(text: string): boolean {
  return /\bas a table[.!?]*$/i.test(text);
}

/**
 * Returns the table of a turn; null for any other turn, and if nothing of the table has arrived. Reads
 * signals if the turn is running.
 */
export function shownTable(session: AgentSession, record: TurnRecord): ShownTable | null {
  const isGrowing = record.status === 'running';
  const output = outputOf(tableSchema, record, isGrowing ? session.partialOutput.value : null)?.partial;
  if (output === undefined) return null;
  const columns = (output.columns ?? []).map(visibleText);
  const rows = (output.rows ?? []).map((row) => row.map(visibleText));
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), columns.length);
  return {
    caption: visibleText(output.caption ?? ''),
    columns: filled(columns, width),
    rows: rows.map((row) => filled(row, width)),
    isGrowing,
  };
}

/**
 * Returns the parts of a round that are shown beside a table, without the text, which is the table itself.
 */
export function partsBeside(table: ShownTable | null, parts: readonly TurnPart[]): readonly TurnPart[] {
  return table === null ? parts : parts.filter(({ type }) => type !== 'text');
}

/** Returns the words for a screen reader when a table is complete. */
export function tableWords({ caption, columns, rows }: ShownTable): string {
  return `Table: ${caption}. ${counted(rows.length, 'row')}, ${counted(columns.length, 'column')}.`;
}

function filled(cells: readonly string[], width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => cells[index] ?? '');
}
