import type { Message, ProviderEvent, ProviderRequest } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import * as told from '../conversation/output-words.js';
import { noteMessage } from '../context/note-message.js';
import type { StructuredOutput } from '../conversation/turn-record.js';
import type { TurnNotes } from '../state/turn-notes.js';
import { namedTools } from '../turn/tool-choice.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { invalidOutput } from './output-error.js';

/** The tool that a model has to call if its API has no mode for structured output. Its domain is reserved. */
const OUTPUT_TOOL = 'banister.output';

/**
 * Returns the request for a structured output. It uses the provider's own mode, or else one tool that the model has to call. Of the
 * session's tools it contains only those that the messages name, because servers require their definitions; the model must not call any of
 * them.
 */
export function outputRequest(
  turn: FeatureTurn,
  { schema, afterWork }: StructuredOutput,
  { tools: _tools, toolChoice: _choice, ...request }: ProviderRequest,
): ProviderRequest {
  const { structuredOutput = false, toolChoices = [] } = turn.settings.provider.capabilities ?? {};
  const messages = withNotes(turn, request.messages, afterWork);
  const tools = namedTools(turn, messages);
  if (!structuredOutput) {
    const tool = {
      name: OUTPUT_TOOL,
      description: told.outputTool,
      parameters: schema,
    };
    return Object.freeze({
      ...request,
      messages,
      tools: Object.freeze([...tools, Object.freeze(tool)]),
      toolChoice: { tool: OUTPUT_TOOL },
    });
  }
  const mayForbid = tools.length > 0 && toolChoices.includes('none');
  return Object.freeze(
    defined({
      ...request,
      messages,
      tools: Object.freeze(tools),
      toolChoice: mayForbid ? ('none' as const) : undefined,
      output: Object.freeze({ schema }),
    }),
  );
}

/** Returns the piece of the output in an event; null for an event without one. Text besides a forced call is dropped. */
export function pieceOf({ output }: ProviderRequest, event: ProviderEvent): string | null {
  switch (event.type) {
    case 'text':
      return output === undefined || event.refusal ? '' : event.delta;
    case 'tool-call':
      if (output !== undefined || event.index > 0 || (event.tool ?? OUTPUT_TOOL) !== OUTPUT_TOOL)
        throw calledTool(event.tool);
      return event.delta;
    case 'opaque':
      // The opaque part belongs to the call, which the conversation stores as text.
      return output === undefined ? '' : null;
    case 'inner-call':
      throw calledTool(event.tool);
    default:
      return null;
  }
}

function calledTool(tool = 'a tool') {
  return invalidOutput('tool-call', `The model called ${tool} where a structured answer was asked for.`, {
    retry: 'never',
  });
}

/**
 * Adds the note that asks for the output after the work of an agent, because the last message may not be the answer of the agent; then an
 * answer that did not fit, and the note about its faults.
 */
function withNotes(
  { id, current }: FeatureTurn,
  messages: readonly Message[],
  afterWork = false,
): readonly Message[] {
  const { repair } = current().fold.turn as TurnNotes;
  const asks = afterWork ? [noteMessage(`${id}-output`, told.outputAfterWork)] : [];
  return Object.freeze([...messages, ...deepFreeze([...asks, ...repairOf(id, repair)])]);
}

function repairOf(id: string, repair: TurnNotes['repair']): readonly Message[] {
  if (repair === undefined) return [];
  const { answer, issues } = repair;
  const note = noteMessage(`${id}-repair`, told.outputRepair(issues));
  if (answer.trim() === '') return [note];
  return [{ id: `${id}-answer`, role: 'assistant', parts: [{ type: 'text', text: answer }] }, note];
}
