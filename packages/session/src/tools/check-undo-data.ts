import type { JsonObject, JsonValue } from '../json/json.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import { issueTexts } from './check-arguments.js';
import type { RevertByData } from './tool.js';

/** The check of a tool, by which data are checked too: a chunk of its own, fetched with the first effect that is moved and whose tool has a schema. */
const checkCode = new LazyCode(() => import('./load-tool-check.js'));

/** Checks the data of an effect before the code of its tool gets them: the log that they are from may be changed. Rejects where they do not fit. */
export async function checkUndoData(
  schema: NonNullable<RevertByData['data']>,
  data: JsonValue,
  ports: Pick<Ports, 'clock' | 'validator'>,
): Promise<void> {
  const { loadToolCheck } = await checkCode.get(ports.clock);
  const { check } = await loadToolCheck({ name: 'undo', parameters: schema }, ports);
  const issues = issueTexts(await check(data as JsonObject));
  if (issues.length > 0)
    throw new Error(`The record of this effect does not fit its tool: ${issues.join('; ')}.`);
}
