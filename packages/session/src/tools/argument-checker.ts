import { isAgentSessionError } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Ports } from '../ports/ports.js';
import type { SchemaValidator, Validate } from '../ports/schema-validator.js';
import type { RegisteredTool } from './tool-registry.js';
import { loadValidator } from './validators/load-validator.js';

/** Compiled checks of a session's tools, made at the first call of each. */
export interface ArgumentChecker {
  /**
   * Rejects with `network` when the validator cannot be fetched, and with an error that names the tool when its schema
   * cannot be compiled. The call must not run then; the next call tries again.
   */
  validateOf(tool: RegisteredTool): Promise<Validate>;
}

/** A check, and the text of the schema that it was compiled from: an app may change a schema between two sessions. */
interface CompiledCheck {
  readonly text: string;
  readonly validate: Validate;
}

/** The checks that sessions share, by validator and by the parameters of tools; weak, so that it keeps neither alive. */
const compiledChecks = new WeakMap<SchemaValidator, WeakMap<object, CompiledCheck>>();

/** The checks of one session. A schema that another session compiled already is not compiled again. */
export function createArgumentChecker(ports: Pick<Ports, 'clock' | 'validator'>): ArgumentChecker {
  const checks = new Map<string, Validate>();
  return {
    async validateOf(tool) {
      const known = checks.get(tool.id);
      if (known) return known;
      const validate = await sharedCheck(tool, await loadValidator(ports));
      checks.set(tool.id, validate);
      return validate;
    },
  };
}

async function sharedCheck(tool: RegisteredTool, validator: SchemaValidator): Promise<Validate> {
  // Registration refuses a schema that is no object.
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

/** The author of the tool reads the error, which names the tool. */
async function compile(tool: RegisteredTool, validator: SchemaValidator): Promise<Validate> {
  try {
    return await validator.compile(tool.schema);
  } catch (error) {
    // A part of the validator that could not be fetched is no fault of the schema.
    if (isAgentSessionError(error)) throw error;
    throw new Error(`The schema of ${tool.id} cannot be checked against: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
