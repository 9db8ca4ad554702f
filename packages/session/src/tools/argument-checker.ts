import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import type { SchemaValidator, Validate } from '@banister/schema';
import type { Ports } from '../ports/ports.js';
import type { RegisteredTool } from './tool-registry.js';
import { loadValidator } from './load-validator.js';

/** The checks of a session's tools. Each check is compiled at the first call of its tool. */
export interface ArgumentChecker {
  /**
   * Returns the check of a tool. Rejects with `network` if the validator cannot be loaded, and with an error that names the tool if its
   * schema cannot be compiled. Then the call must not run, and the next call compiles again.
   */
  validateOf(tool: RegisteredTool): Promise<Validate>;
}

/** A check, and the text of the schema from which it was compiled. An app may change a schema between two sessions. */
interface CompiledCheck {
  readonly text: string;
  readonly validate: Validate;
}

/**
 * The checks that sessions share, by validator and by the parameters object of a tool. The maps are weak, so they keep neither of them in
 * memory.
 */
const compiledChecks = new WeakMap<SchemaValidator, WeakMap<object, CompiledCheck>>();

/** Creates the checker of one session. A schema that was compiled for another session is not compiled again. */
export function createArgumentChecker(ports: Pick<Ports, 'clock' | 'validator'>): ArgumentChecker {
  // The key is the tool and not its id, because `configure` may replace a tool.
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

/** The part of a tool from which its check is compiled. */
interface CheckedTool extends Pick<RegisteredTool, 'id' | 'schema'> {
  readonly source: Pick<RegisteredTool['source'], 'parameters'>;
}

/**
 * Compiles the check of a tool, unless a session of this page has already compiled it. Rejects as {@link ArgumentChecker.validateOf} does.
 */
export async function sharedCheck(tool: CheckedTool, validator: SchemaValidator): Promise<Validate> {
  // Certainly an object: the tool registry refuses any other value.
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
    // A part of the validator could not be loaded, which is not a fault of the schema.
    if (isAgentSessionError(error)) throw error;
    throw new Error(`The schema of ${tool.id} cannot be checked against: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
