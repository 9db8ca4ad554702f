import type { AgentSessionError, JsonObject } from '@handrail/session/provider';
import { quoted, refusalError, textIn } from '@handrail/wire';
import { codeOfRefusal } from './code-of.js';
import type { Refusal } from './refusal.js';
import type { RequestContext } from './to-error.js';

/** A refusal of this API as one of our errors. */
export function readRefusal(refusal: Refusal, thrown: unknown, context: RequestContext): AgentSessionError {
  const { status, said } = refusal;
  const code = codeOfRefusal(refusal, context.answering);
  const tool = toolOf(refusal, context);
  const details = detailsOf(refusal, tool, context);
  const message =
    code === 'invalid-configuration' && tool !== undefined
      ? `The server refused the tool "${tool}".${quoted(said)}`
      : undefined;
  return refusalError({ code, status, said, message, details }, thrown, context);
}

/** The tool that was refused, by its place in the request: `tools.3.custom.input_schema: …`. */
function toolOf({ said }: Refusal, { tools }: RequestContext): string | undefined {
  const place = /^tools\.(\d+)\b/.exec(said)?.[1];
  return place === undefined ? undefined : tools[Number(place)];
}

function detailsOf(
  { status, type, said, requestId: stated }: Refusal,
  tool: string | undefined,
  { ending, headers }: RequestContext,
): JsonObject {
  const requestId = stated || textIn(headers?.get('request-id'));
  return {
    ...(status === undefined ? {} : { status }),
    ...(said === '' ? {} : { said }),
    ...(type === '' ? {} : { type }),
    ...(tool === undefined ? {} : { tool }),
    ...(requestId === '' ? {} : { requestId }),
    ...ending,
  };
}
