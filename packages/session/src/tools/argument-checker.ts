import { isAgentSessionError } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Ports } from '../ports/ports.js';
import type { SchemaValidator, Validate } from '../ports/schema-validator.js';
import type { RegisteredTool } from './tool-registry.js';
import { loadValidator } from './validators/load-validator.js';

/** The checks of a session's tools, each compiled at the first call of its tool. */
export interface ArgumentChecker {
  /**
   * Returns the check of a tool. Rejects with `network` when the validator cannot be fetched, and with an error that names the
   * tool when its schema cannot be compiled: the call must not run then, and the next one compiles again.
   */
  validateOf(tool: RegisteredTool): Promise<Validate>;
}

/** A check, and the text of the schema that it was compiled from: an app may change a schema between two sessions. */
interface CompiledCheck {
  readonly text: string;
  readonly validate: Validate;
}

/** The checks that sessions share, by validator and by the parameters of tools. Weak: it keeps neither of them alive. */
const compiledChecks = new WeakMap<SchemaValidator, WeakMap<object, CompiledCheck>>();

/** Creates the checker of one session. A schema that was compiled for another session is not compiled again. */
export function createArgumentChecker(ports: Pick<Ports, 'clock' | 'validator'>): ArgumentChecker {
  // By the tool, not by its id: `configure` may replace a tool.
  const checks = new WeakMap<RegisteredTool, Validate>();
  return {
    async validateOf(tool) {
      const known = checks.get(tool);
      if (known) return known;
      const validate = await sharedCheck(tool, await loadValidator(ports));
      checks.set(tool, validate);
      return validate;
    },
  };
}

/** The part of a tool that its check is made of. */
interface CheckedTool extends Pick<RegisteredTool, 'id' | 'schema'> {
  readonly source: Pick<RegisteredTool['source'], 'parameters'>;
}

/** Compiles the check of a tool, unless a session of this page has done so. Rejects as {@link ArgumentChecker.validateOf} does. */
export async function sharedCheck(tool: CheckedTool, validator: SchemaValidator): Promise<Validate> {
  // An object: the tool registry refuses any other value.
  const parameters = tool.source.parameters as object;
  const checks = compiledChecks.get(validator) ?? new WeakMap<object, CompiledCheck>();
  compiledChecks.set(validator, checks);
  const text = JSON.stringify(tool.schema);
  const known = checks.get(parameters);
  if (known?.text === text) return known.validate;
  const validate = await compile(tool, validator);
  checks.set(parameters, { text, validate });
  return validate;
}

/** Compiles the schema of a tool. The error names the tool, for its author. */
async function compile(tool: CheckedTool, validator: SchemaValidator): Promise<Validate> {
  try {
    return await validator.compile(tool.schema);
  } catch (error) {
    // The fetch of a part of the validator failed, which is no fault of the schema.
    if (isAgentSessionError(error)) throw error;
    throw new Error(`The schema of ${tool.id} cannot be checked against: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
