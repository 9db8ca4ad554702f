import type { ToolDefinition } from '@banister/provider';
import type { SchemaValidator } from '@banister/schema';
import { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import { loadMatcher, patternMatcher } from './pattern-matcher.js';

type ValidatorPorts = Pick<Ports, 'clock' | 'validator'>;

/** The built-in validators. Each is a chunk of its own, and all sessions share one instance. */
const compiled = new LazyCode<SchemaValidator>(async () =>
  (await import('@banister/schema/compiled')).createCompiledValidator(loadMatcher),
);
const interpreted = new LazyCode<SchemaValidator>(async () =>
  (await import('@banister/schema/interpreted')).createInterpretedValidator(loadMatcher),
);

/**
 * Returns the validator that the port names, or a promise until its code is loaded.
 *
 * In a browser, `auto` always interprets. Only an attempt at code generation shows whether the page allows it, and browsers log a refused
 * attempt as an error. The interpreter is also by far the smaller download.
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
 * Loads the validator before the first tool call, and the matcher of patterns if a schema may need it. Does nothing outside of pages and
 * workers, because there the code is on disk.
 */
export async function preloadValidator(
  ports: ValidatorPorts,
  tools: readonly ToolDefinition[],
): Promise<void> {
  if (typeof ports.validator === 'object' || !comesOverNetwork()) return;
  await loadValidator(ports);
  if (tools.some(hasPattern)) await patternMatcher.get(ports.clock);
}

/**
 * Returns true for a schema that may have patterns. It also returns true for a schema with a property named `pattern`, which needs no
 * matcher.
 */
function hasPattern({ parameters }: ToolDefinition): boolean {
  return /"pattern(Properties)?":/.test(JSON.stringify(parameters));
}

/** Returns true in a page or a worker, where code is loaded over the network. */
function comesOverNetwork(): boolean {
  return typeof document !== 'undefined' || 'WorkerGlobalScope' in globalThis;
}
