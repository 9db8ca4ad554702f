import type { JsonObject } from '@banister/provider';
import { checked } from '@banister/provider/internal/errors/checked';
import type { ValidationIssue } from '@banister/schema';
import type { Ports } from '../ports/ports.js';
import { sharedCheck } from './argument-checker.js';
import { libraryIssues } from './check-arguments.js';
import { isLibrarySchema, jsonSchema } from './domain.js';
import type { RevertByData } from './tool.js';
import { loadValidator } from './load-validator.js';

/**
 * Returns the issues of the data of an effect; an empty list if the data fits. A null is checked like any other value, because the code of
 * the tool receives the data unchanged. An executor, in contrast, receives arguments without wrong nulls.
 */
export async function undoDataIssues(
  parameters: NonNullable<RevertByData['data']>,
  data: JsonObject,
  ports: Pick<Ports, 'clock' | 'validator'>,
): Promise<readonly ValidationIssue[]> {
  const schema = checked(jsonSchema, parameters, 'The schema of undo.data');
  const validate = await sharedCheck(
    { id: 'undo', schema, source: { parameters } },
    await loadValidator(ports),
  );
  const issues = validate(data);
  return issues.length > 0 || !isLibrarySchema(parameters) ? issues : libraryIssues(parameters, data);
}
