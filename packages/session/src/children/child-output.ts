import type { Provider, ProviderRequest } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { catchError, throwError } from 'rxjs';
import { noteMessage } from '../context/note-message.js';
import * as told from '../conversation/agent-words.js';
import { readOutput } from '../conversation/read-output.js';
import type { ChildTurn, StructuredOutput } from '../conversation/turn-record.js';
import { checkOutputSupport, type AskedOutput } from '../structured/output-options.js';
import { structuredCode } from '../structured/structured-code.js';
import type { AnyRunResult } from '../tools/run.js';
import { concat, type Stage } from '../turn/concat.js';
import { hooked } from '../turn/doors.js';
import type { Turn } from '../turn/turn-context.js';
import type { FeatureTurn, StructuredStages } from '../turn/turn-parts.js';

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
  return {
    ...stages,
    request: (turn, request) => stages.request(turn, requested.afterWork ? withNote(turn, request) : request),
    answered: (turn) =>
      stages.answered(turn).pipe(
        catchError((error: unknown) =>
          concat(
            said(turn, error),
            throwError(() => error),
          ),
        ),
      ),
  };
}

/** Adds the note that asks for the output, because the last message of a request may not be the answer of the agent. */
function withNote({ id }: FeatureTurn, request: ProviderRequest): ProviderRequest {
  const note = deepFreeze(noteMessage(`${id}-output`, told.outputAfterWork));
  return { ...request, messages: [...request.messages, note] };
}

/** If an answer is not a fitting output, makes it the text of its round. The middleware receives this text before the child turn stops. */
function said(turn: FeatureTurn, error: unknown): Stage {
  const { fold, liveTurn } = turn.current();
  const { output = '', accepted } = fold.turn!.round!;
  const isUnfit = isAgentSessionError(error) && error.code === 'structured-output-invalid' && !accepted;
  if (!isUnfit || output === '') return [];
  const isSaid = liveTurn!.rounds.at(-1)!.parts.some(({ type }) => type === 'text');
  return [
    isSaid ? [] : { type: 'text', delta: output },
    hooked(turn, ({ afterResponse }) => afterResponse(turn)),
  ];
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
