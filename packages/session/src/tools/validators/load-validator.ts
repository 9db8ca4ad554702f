import type { Ports } from '../../ports/ports.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';

/**
 * Loads the validator that the port names. Both built-in ones are chunks of their own: a session that never calls a tool
 * never loads either.
 *
 * `auto` interprets in every browser. A page that forbids code generation cannot be recognised without an attempt, and
 * the browser writes each attempt into the console as an error; and the interpreter is the smaller download by far.
 */
export async function loadValidator(port: Ports['validator']): Promise<SchemaValidator> {
  if (typeof port === 'object') return port;
  const inBrowser = typeof document !== 'undefined' || 'WorkerGlobalScope' in globalThis;
  if (port === 'interpreted' || (port === 'auto' && inBrowser)) {
    return (await import('./interpreted-validator.js')).createInterpretedValidator();
  }
  return (await import('./compiled-validator.js')).createCompiledValidator();
}
