import type { AgentSessionError, ErrorCode, JsonObject } from '@handrail/session/provider';
import { fieldsOf, quoted, refusalError, textIn } from '@handrail/wire';
import { codeOfRefusal } from './code-of.js';
import type { Refusal } from './refusal.js';
import type { RequestContext } from './to-error.js';

/** A refusal of this API as one of our errors. */
export function readRefusal(refusal: Refusal, thrown: unknown, context: RequestContext): AgentSessionError {
  const { status, said } = refusal;
  const code = codeOfRefusal(refusal, context.answering);
  const tool = toolOf(refusal, context);
  const message = ownMessage(code, refusal, tool);
  const details = detailsOf(refusal, tool, thrown, context);
  return refusalError({ code, status, said, message, details }, thrown, context);
}

function ownMessage(code: ErrorCode, { words, said }: Refusal, tool: string | undefined): string | undefined {
  if (code === 'invalid-configuration' && tool !== undefined) {
    return `The server refused the schema of the tool "${tool}".${quoted(said)}`;
  }
  return code === 'server' && words.includes('tool_use_failed')
    ? 'The model wrote a tool call that does not fit the tool.'
    : undefined;
}

/** The tool whose schema was refused: by its place in the request, or by its name in the server's words. */
function toolOf({ param, said, words }: Refusal, { tools, names }: RequestContext): string | undefined {
  const place = /^tools\[(\d+)\]/.exec(param)?.[1];
  if (place !== undefined) return tools[Number(place)];
  const name = words.includes('invalid_function_parameters')
    ? /function '([^']+)'/.exec(said)?.[1]
    : undefined;
  return name === undefined ? undefined : names.fromWire(name);
}

function detailsOf(
  refusal: Refusal,
  tool: string | undefined,
  thrown: unknown,
  { redact, ending, headers }: RequestContext,
): JsonObject {
  const { status, words, param, said, body } = refusal;
  const generation = redact(textIn(body['failed_generation']));
  const requestId = textIn(fieldsOf(thrown)['requestID'] ?? headers?.get('x-request-id'));
  return {
    ...(status === undefined ? {} : { status }),
    ...(said === '' ? {} : { said }),
    ...(words[0] ? { code: words[0] } : {}),
    ...(words[1] ? { type: words[1] } : {}),
    ...(param === '' ? {} : { param }),
    ...(tool === undefined ? {} : { tool }),
    ...(generation === '' ? {} : { failedGeneration: generation }),
    ...(requestId === '' ? {} : { requestId }),
    ...ending,
  };
}
