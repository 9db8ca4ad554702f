import type { JsonObject, JsonValue } from '@banister/provider';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import { issueTexts } from './check-arguments.js';
import type { RevertByData } from './tool.js';

/** Loads the code of the check, a chunk of its own, at the first move of an effect whose tool has a schema for its data. */
const checkCode = new LazyCode(() => import('./undo-data-issues.js'));

/**
 * Checks the data of an effect before the code of its tool receives it, because the log that the data comes from may have been changed.
 * Rejects if the data does not fit.
 */
export async function checkUndoData(
  schema: NonNullable<RevertByData['data']>,
  data: JsonValue,
  ports: Pick<Ports, 'clock' | 'validator'>,
): Promise<void> {
  const { undoDataIssues } = await checkCode.get(ports.clock);
  const issues = issueTexts(await undoDataIssues(schema, data as JsonObject, ports));
  if (issues.length > 0)
    throw new Error(sentence(`The record of this effect does not fit its tool: ${issues.join('; ')}`));
}
