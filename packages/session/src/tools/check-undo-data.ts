import { sentence } from '../errors/sentence.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import { issueTexts } from './check-arguments.js';
import type { RevertByData } from './tool.js';

/** A chunk of its own, fetched with the first effect that is moved and whose tool has a schema. */
const checkCode = new LazyCode(() => import('./undo-data-issues.js'));

/** Checks the data of an effect before the code of its tool gets them: the log that they are from may be changed. Rejects where they do not fit. */
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
