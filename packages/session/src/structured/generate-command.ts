// The entry of the chunk of `generate` and the stages of its turns.
import type { Message } from '@banister/provider';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { checked } from '@banister/provider/internal/errors/checked';
import { any, only, type Read } from '@banister/provider/internal/json/shape';
import { structuredStages } from './structured-stages.js';
import type { GenerateOptions } from '../session/agent-session.js';
import { abandonInterrupted, type BranchParts } from '../session/branch-parts.js';
import { checkOutputSupport, type AskedOutput } from './output-options.js';
import { readInput } from '../conversation/read-user-input.js';
import { type ReadInput } from '../session/read-input.js';

export { transformed } from './check-output.js';

// `settingsOf` checks the values.
const optionsShape = only({ signal: any, limits: any } satisfies Record<keyof GenerateOptions, Read>);

/** Runs a turn for a structured output, see `LocalAgentSession.generate`. */
export async function generate(
  parts: BranchParts,
  { own, attached }: ReadInput,
  { schema, library }: AskedOutput,
  options: GenerateOptions = {},
): Promise<unknown> {
  const { core, ports, runner, lane, signal, release } = parts;
  checked(optionsShape, options, 'The options of generate');
  const input = readInput(own);
  const settings = runner.settingsOf(input, options);
  checkOutputSupport(settings.provider);
  const structured = structuredStages({ schema }, library);
  await structured.prepare(ports);
  await abandonInterrupted(parts);
  if (signal.aborted || options.signal?.aborted) throw cancelledError();
  release();
  lane.wayOf('generate');
  const message: Message = { id: ports.ids.next('message'), role: 'user', parts: input };
  const place = { input: message, parentId: core.state.headTurnId, retryOf: undefined, structured };
  await runner.start({ ...runner.prepared(place, settings, options), before: attached });
  return structured.value;
}
