import type { ScenarioAnswer } from '@banister/testing';
import type { Script } from '../../../test/kit/byte-server.js';

const finishReasons = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  refusal: 'stop', // sent as refusal deltas
  'content-filter': 'content_filter',
  unknown: 'eos',
} as const;

/** Returns the answer of a scenario as a Chat Completions server sends it. */
export function scriptOf(answer: ScenarioAnswer): Script {
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
      return { body: `${events(answer)}data: ${JSON.stringify({ error: { message: ending.message } })}\n\n` };
    case 'stall':
      return { body: events(answer), end: 'never' };
    case 'cut':
      return { body: events(answer) };
    case 'finish':
      return { body: `${events(answer)}${finish(answer, finishReasons[ending.reason])}data: [DONE]\n\n` };
  }
}

function events({ thinking = [], text = [], calls = [], ending }: ScenarioAnswer): string {
  const refused = ending.kind === 'finish' && ending.reason === 'refusal';
  const deltas = [
    { role: 'assistant', content: '' },
    ...thinking.map((reasoning_content) => ({ reasoning_content })),
    ...text.map((piece) => (refused ? { refusal: piece } : { content: piece })),
    ...calls.flatMap(({ id, tool, argumentsText }, index) => [
      {
        tool_calls: [
          { index, id, type: 'function', function: { name: tool.replace('.', '_'), arguments: '' } },
        ],
      },
      ...(argumentsText.match(/.{1,7}/gsu) ?? []).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
  return deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] })).join('');
}

function finish({ usage }: ScenarioAnswer, finish_reason: string): string {
  const last = event({ choices: [{ index: 0, delta: {}, finish_reason }] });
  if (!usage) return last;
  const { inputTokens, outputTokens } = usage;
  return (
    last + event({ choices: [], usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens } })
  );
}

function event(chunk: object): string {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`;
}
