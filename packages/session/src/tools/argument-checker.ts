import { messageOf } from '../errors/to-session-error.js';
import type { Ports } from '../ports/ports.js';
import type { SchemaValidator, Validate } from '../ports/schema-validator.js';
import type { RegisteredTool } from './tool-registry.js';
import { loadValidator } from './validators/load-validator.js';

/** Compiled checks of a session's tools, made at the first call of each. */
export interface ArgumentChecker {
  /** Rejects when the validator cannot be loaded or the schema cannot be compiled: such a call must not run. */
  validateOf(tool: RegisteredTool): Promise<Validate>;
}

/** Loads the validator once, at the first tool call; after a failure, for example offline, the next call tries again. */
export function createArgumentChecker(port: Ports['validator']): ArgumentChecker {
  let loading: Promise<SchemaValidator> | undefined;
  const checks = new Map<string, Validate>();
  return {
    async validateOf(tool) {
      const known = checks.get(tool.id);
      if (known) return known;
      loading ??= loadValidator(port).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const validate = await compiled(tool, await loading);
      checks.set(tool.id, validate);
      return validate;
    },
  };
}

/** Whoever wrote the tool reads the error: it says which one. */
async function compiled(tool: RegisteredTool, validator: SchemaValidator): Promise<Validate> {
  try {
    return await validator.compile(tool.schema);
  } catch (error) {
    throw new Error(`The schema of ${tool.id} cannot be checked against: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
