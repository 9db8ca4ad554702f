import { describe, it } from 'vitest';
import { providerConformance, type ScenarioAnswer } from '@banister/testing';
import { openai } from '../src/index.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { asStream, itemEvents } from './responses-stream.js';

// The suite that every provider passes, with a server of the Responses API behind it.

const secret = 'sk-conformance-0123456789';

providerConformance(
  'openai with the Responses API',
  async (scenario) => {
    const server = await startByteServer(toScript(scenario.answer));
    return {
      provider: openai({ model: 'm', api: 'responses', baseURL: server.v1, apiKey: secret }),
      requests: () => server.arrivals.length,
      openConnections: () => server.openConnections(),
      secret,
      dispose: async () => server[Symbol.asyncDispose](),
    };
  },
  { describe, it },
  { patienceMs: 60_000 },
);

function toScript(answer: ScenarioAnswer): Script {
  const { ending } = answer;
  const json = { 'content-type': 'application/json' };
  switch (ending.kind) {
    case 'http-error': {
      const { status, message, type, retryAfterSeconds } = ending;
      const retry: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      const body = JSON.stringify({ error: { message, type: 'invalid_request_error', code: type ?? null } });
      return { status, body, headers: { ...json, ...retry } };
    }
    case 'not-a-stream':
      return { body: '<!doctype html><title>Sign in</title>', headers: { 'content-type': 'text/html' } };
    case 'error-event':
      return { body: asStream(...events(answer), { type: 'error', message: ending.message }) };
    case 'stall':
      return { body: asStream(...events(answer)), end: 'never' };
    case 'cut':
      return { body: asStream(...events(answer)) };
    case 'finish':
      return { body: asStream(...events(answer), end(answer, ending.reason)) };
  }
}

function events({ thinking = [], text = [], calls = [], ending }: ScenarioAnswer): object[] {
  const refused = ending.kind === 'finish' && ending.reason === 'refusal';
  const items = [
    ...(thinking.length === 0
      ? []
      : [(at: number) => itemEvents(at, { type: 'reasoning' }, 'reasoning_summary_text', thinking)]),
    ...(text.length === 0
      ? []
      : [(at: number) => itemEvents(at, { type: 'message' }, refused ? 'refusal' : 'output_text', text)]),
    ...calls.map(({ id, tool, argumentsText }) => (at: number) => {
      const item = { type: 'function_call', call_id: id, name: tool.replace('.', '_') };
      const pieces = argumentsText.match(/.{1,7}/gsu) ?? [];
      const all = itemEvents(at, { ...item, arguments: argumentsText }, 'function_call_arguments', pieces);
      // A call that is cut is never done.
      return ending.kind === 'cut' ? all.slice(0, -1) : all;
    }),
  ];
  return [{ type: 'response.created', response: {} }, ...items.flatMap((item, at) => item(at))];
}

function end({ usage }: ScenarioAnswer, reason: string): object {
  const details = { length: 'max_output_tokens', 'content-filter': 'content_filter' }[reason];
  const status = details === undefined ? 'completed' : 'incomplete';
  const counted = usage && {
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  };
  const incomplete = details && { incomplete_details: { reason: details } };
  return { type: `response.${status}`, response: { status, ...incomplete, ...counted } };
}
