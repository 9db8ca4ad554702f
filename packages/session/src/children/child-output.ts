import type { Provider } from '@banister/provider';
import { readOutput } from '../conversation/read-output.js';
import type { ChildTurn, StructuredOutput } from '../conversation/turn-record.js';
import { checkOutputSupport, type AskedOutput } from '../structured/output-options.js';
import { structuredCode } from '../structured/structured-code.js';
import type { AnyRunResult } from '../tools/run.js';
import type { Turn } from '../turn/turn-context.js';
import type { StructuredStages } from '../turn/turn-parts.js';

/** Returns the output of a new child turn for its record. An agent with tools works first. */
export function requestedOutput(
  { definitions }: Turn['tools'],
  output: AskedOutput | null,
): StructuredOutput | undefined {
  if (output === null) return undefined;
  const { schema } = output;
  return definitions.length > 0 ? { schema, afterWork: true } : { schema };
}

/**
 * Returns the stages of the rounds of a child turn that ask for its output. Rejects `unsupported` if the model cannot produce structured
 * output, and `invalid-configuration` if no check of the schema can be compiled.
 */
export async function outputStages(
  { ports }: Pick<Turn, 'ports'>,
  provider: Provider,
  requested: StructuredOutput,
  { library }: Pick<AskedOutput, 'library'>,
): Promise<StructuredStages> {
  checkOutputSupport(provider);
  const { structuredStages } = await structuredCode.get(ports.clock);
  const stages = structuredStages(requested, library);
  await stages.prepare(ports);
  return stages;
}

/** Returns the result of a child turn with the output of its record; without an output if the schema library refuses it now. */
export async function withOutput(
  { ports }: Pick<Turn, 'ports'>,
  child: ChildTurn,
  result: AnyRunResult,
  { library }: AskedOutput,
): Promise<AnyRunResult> {
  const json = readOutput(child);
  if (json === undefined || library === null) return { ...result, output: json };
  const { transformed } = await structuredCode.get(ports.clock);
  const output = await transformed(library, json).catch(() => undefined);
  return { ...result, output: output as AnyRunResult['output'] };
}
