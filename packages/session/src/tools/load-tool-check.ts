// The entry `@banister/session/check`: the check of a tool's arguments, for views in which a user edits them.
import type { JsonObject } from '@banister/provider';
import { checked } from '@banister/provider/internal/errors/checked';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { systemClock } from '@banister/provider/internal/port/clock';
import type { ValidationIssue } from '@banister/schema';
import type { GivenPorts } from '../ports/ports.js';
import { sharedCheck } from './argument-checker.js';
import type { ToolShape } from './call-of.js';
import { libraryIssues, withoutWrongNulls } from './check-arguments.js';
import { isLibrarySchema } from './domain.js';
import { readSchema } from './tool-registry.js';
import type { ToolSchema } from './tool.js';
import { loadValidator } from './load-validator.js';

/** The check of a tool's arguments, and the schema that it checks against. */
interface ToolCheck {
  /** The parameters as JSON Schema; the schema of a library is converted. */
  readonly schema: JsonObject;
  /**
   * Returns the issues of arguments; an empty list if they fit. If the schema comes from a library, the library checks the arguments too,
   * and may answer with a promise. If the library throws, it throws or rejects with that error.
   */
  check(args: JsonObject): readonly ValidationIssue[] | Promise<readonly ValidationIssue[]>;
}

/**
 * Loads the check with which a session decides whether arguments that a user edited fit a tool. If a session of the page has compiled the
 * check, this is the same function.
 *
 * @param tool the tool of the session, or its name and parameters
 * @param ports the ports of the session: `validator` names the validator (default `auto`), `clock` limits the time of its fetch
 * @throws AgentSessionError `invalid-configuration` for parameters that no session accepts; `network` if the validator cannot be loaded,
 *   and then the next call loads it again. An Error that names the tool if its schema cannot be compiled
 *
 * @example
 * const { check } = await loadToolCheck(addCard);
 * console.log(await check({ title: 5 })); // [{ path: ['title'], message: 'must be of type string' }]
 */
export async function loadToolCheck(
  tool: Pick<ToolShape<ToolSchema>, 'name' | 'parameters'>,
  { validator = 'auto', clock = systemClock }: Pick<GivenPorts, 'validator' | 'clock'> = {},
): Promise<ToolCheck> {
  const { name: id, parameters } = tool;
  const schema = deepFreeze(checked(readSchema, parameters, `The tool "${id}"`) as JsonObject);
  const validate = await sharedCheck({ id, schema, source: tool }, await loadValidator({ validator, clock }));
  return {
    schema,
    check(args) {
      const { issues, json } = withoutWrongNulls(validate, args);
      return issues.length > 0 || !isLibrarySchema(parameters) ? issues : libraryIssues(parameters, json);
    },
  };
}
