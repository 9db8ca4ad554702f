import { AgentSessionError, type JsonObject } from '@banister/session';
import { isJsonObject, messageOf, sentence } from '@banister/provider';
import { checksum } from '../checksum.js';
import { storageError } from '../log-errors.js';
import { LINES_VERSION, type ExportedHead } from './export-log.js';

/** The contents of an export. */
export interface ReadLines {
  readonly head: ExportedHead;
  readonly snapshot: unknown;
  readonly records: readonly unknown[];
}

/**
 * Reads the lines of an export. The pieces of text may end anywhere, as in a download.
 *
 * @throws AgentSessionError `storage` with the reason `damaged` and `details.line`; `unsupported` if a newer release wrote the export
 */
export async function readLines(text: AsyncIterable<string> | Iterable<string>): Promise<ReadLines> {
  const lines = await linesOf(text);
  const head = headOf(valueOf(lines, 1, 'log'));
  if (lines.length !== head.lines + 1)
    throw damagedLine(
      lines.length + 1,
      `the export has ${head.lines + 1} lines, and ${lines.length} are here`,
    );
  const hasSnapshot = lines[1]?.startsWith('{"snapshot"') ?? false;
  const snapshot = hasSnapshot ? valueOf(lines, 2, 'snapshot') : null;
  const records: unknown[] = [];
  for (let line = hasSnapshot ? 3 : 2; line <= lines.length; line++)
    records.push(valueOf(lines, line, 'record'));
  return { head, snapshot, records };
}

/** Returns the error for a damaged line. @param line the line number; the first line is 1 */
export function damagedLine(line: number, problem: string, cause?: unknown): AgentSessionError {
  return storageError(
    `${sentence(`Line ${line} of the export is damaged: ${problem}`)} Nothing was imported.`,
    { reason: 'damaged', line },
    'never',
    cause,
  );
}

async function linesOf(text: AsyncIterable<string> | Iterable<string>): Promise<readonly string[]> {
  let whole = '';
  for await (const piece of text) whole += piece;
  const lines = whole.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the value that a line holds under `name`. */
function valueOf(lines: readonly string[], line: number, name: 'log' | 'snapshot' | 'record'): unknown {
  const read = parsed(lines[line - 1] ?? '', line);
  const value = read[name];
  if (value === undefined) throw damagedLine(line, `it has no ${name}`);
  if (checksum(JSON.stringify(value)) !== read['sum']) throw damagedLine(line, 'its checksum is another one');
  return value;
}

function parsed(text: string, line: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damagedLine(line, messageOf(error), error);
  }
  if (!isJsonObject(value)) throw damagedLine(line, 'it is no object');
  return value;
}

function headOf(value: unknown): ExportedHead {
  if (!isJsonObject(value)) throw damagedLine(1, 'it is no object');
  const { version, title, lines } = value;
  if (typeof version !== 'number' || typeof title !== 'string' || typeof lines !== 'number')
    throw damagedLine(1, 'it has no version, no title or no number of lines');
  if (version > LINES_VERSION)
    throw new AgentSessionError(
      'unsupported',
      'A newer release of this app has made this export. Nothing was imported.',
      { details: { version, supported: LINES_VERSION } },
    );
  return value as unknown as ExportedHead;
}
