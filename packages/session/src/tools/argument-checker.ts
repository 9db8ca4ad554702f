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

/** A check, and the schema that it was compiled from: an app may change the schema of a tool between two sessions. */
interface CompiledCheck {
  readonly schema: string;
  readonly validate: Validate;
}

/** The checks that sessions share, by validator and tool; weak, so that neither is kept for their sake. */
const compiledChecks = new WeakMap<SchemaValidator, WeakMap<RegisteredTool['source'], CompiledCheck>>();

/** The checks of one session. A tool that another session called already is not compiled again. */
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
  const checks = compiledChecks.get(validator) ?? new WeakMap<RegisteredTool['source'], CompiledCheck>();
  compiledChecks.set(validator, checks);
  const schema = JSON.stringify(tool.schema);
  const known = checks.get(tool.source);
  if (known?.schema === schema) return known.validate;
  const validate = await compile(tool, validator);
  checks.set(tool.source, { schema, validate });
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
