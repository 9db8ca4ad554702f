import { describe, it } from 'vitest';
import { providerConformance, type ScenarioAnswer } from '@banister/testing';
import { anthropic } from '../src/index.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { block, end, event, start, textBlock, toolBlock } from './message-events.js';

// The suite that every provider passes, with a server of this API behind it.

const secret = 'sk-ant-conformance-0123456789';

const stopReasons = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  'content-filter': 'refusal',
  unknown: 'something_new',
} as const;

/** The API's types for the errors of the conformance suite. */
const errorTypes: Readonly<Record<string, string>> = { model_not_found: 'not_found_error' };

providerConformance(
  'anthropic',
  async (scenario) => {
    const server = await startByteServer(toScript(scenario.answer));
    return {
      provider: anthropic({ model: 'm', baseURL: server.url, apiKey: secret }),
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
      const { status, type = 'invalid_request_error', retryAfterSeconds } = ending;
      const message = type === 'model_not_found' ? 'model: m' : ending.message;
      const retry: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      const body = JSON.stringify({
        type: 'error',
        error: { type: errorTypes[type] ?? 'invalid_request_error', message },
      });
      return { status, body, headers: { ...json, ...retry } };
    }
    case 'not-a-stream':
      return { body: '<!doctype html><title>Sign in</title>', headers: { 'content-type': 'text/html' } };
    case 'error-event': {
      const error = { type: 'api_error', message: ending.message };
      return { body: events(answer) + event({ type: 'error', error }) };
    }
    case 'stall':
      return { body: events(answer), end: 'never' };
    case 'cut':
      return { body: events(answer, 'open') };
    case 'finish':
      return {
        body: events(answer) + end(stopReasons[ending.reason], { outputTokens: answer.usage?.outputTokens }),
      };
  }
}

/** @param last whether the last block is closed */
function events(
  { thinking = [], text = [], calls = [], usage }: ScenarioAnswer,
  last: 'open' | 'closed' = 'closed',
): string {
  const blocks = [
    ...(thinking.length === 0
      ? []
      : [
          (index: number) =>
            block(
              index,
              { type: 'thinking', thinking: '', signature: '' },
              ...thinking.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
              { type: 'signature_delta', signature: 'c2lnbmVk' },
            ),
        ]),
    ...(text.length === 0 ? [] : [(index: number) => textBlock(index, ...text)]),
    ...calls.map(({ id, tool, argumentsText }) => (index: number) => {
      return toolBlock(index, id, tool.replace('.', '_'), '', ...(argumentsText.match(/.{1,7}/gsu) ?? []));
    }),
  ].map((make, index) => make(index));
  const whole = start({ inputTokens: usage?.inputTokens }) + event({ type: 'ping' }) + blocks.join('');
  return last === 'closed' ? whole : whole.slice(0, whole.lastIndexOf('event: content_block_stop'));
}
