import { LazyCode } from '../../ports/lazy-code.js';
import type { Ports } from '../../ports/ports.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import type { ToolDefinition } from '../../provider/provider.js';
import { loadMatcher, patternMatcher } from './pattern-matcher.js';

type ValidatorPorts = Pick<Ports, 'clock' | 'validator'>;

/** The built-in validators, each a chunk of its own and one for all sessions. */
const compiled = new LazyCode<SchemaValidator>(async () =>
  (await import('./compiled-validator.js')).createCompiledValidator(loadMatcher),
);
const interpreted = new LazyCode<SchemaValidator>(async () =>
  (await import('./interpreted-validator.js')).createInterpretedValidator(loadMatcher),
);

/**
 * Returns the validator that the port names, or a promise of it while its code is not loaded.
 *
 * `auto` interprets in every browser: only an attempt at code generation shows whether the page allows it, browsers log a refused
 * attempt as an error, and the interpreter is by far the smaller download.
 */
export function loadValidator({
  validator,
  clock,
}: ValidatorPorts): SchemaValidator | Promise<SchemaValidator> {
  if (typeof validator === 'object') return validator;
  const interprets = validator === 'interpreted' || (validator === 'auto' && comesOverNetwork());
  return (interprets ? interpreted : compiled).get(clock);
}

/**
 * Fetches the validator before the first tool call, and the matcher of patterns where a schema may need it. Does nothing
 * outside of pages and workers, where the code is on the disk.
 */
export async function preloadValidator(
  ports: ValidatorPorts,
  tools: readonly ToolDefinition[],
): Promise<void> {
  if (typeof ports.validator === 'object' || !comesOverNetwork()) return;
  await loadValidator(ports);
  if (tools.some(hasPattern)) await patternMatcher.get(ports.clock);
}

/** True for a schema that may have patterns; also for one with a property named `pattern`, which needs no matcher. */
function hasPattern({ parameters }: ToolDefinition): boolean {
  return /"pattern(Properties)?":/.test(JSON.stringify(parameters));
}

/** True in a page or a worker, where code is fetched. */
function comesOverNetwork(): boolean {
  return typeof document !== 'undefined' || 'WorkerGlobalScope' in globalThis;
}
