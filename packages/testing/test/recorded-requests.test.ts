import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateRequest, type RequestApi } from '@banister/testing';
import { hasRecordings, recordingsFolder, recordingsRemark } from '../../../scripts/recordings-folder.mjs';

// The validator against requests that real servers accepted, and against requests that they refused.

interface Index {
  readonly streams: readonly {
    readonly name: string;
    readonly wire: RequestApi;
    readonly requestFile?: string;
  }[];
  readonly httpErrors: readonly { readonly name: string; readonly file: string }[];
}

/** A request as a client sent it; tests take it apart. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any request, with a reach into it at any place
type Body = Record<string, any>;

const index = read('INDEX.json') as Index;
const accepted = index.streams.flatMap(({ name, wire, requestFile }) =>
  requestFile === undefined ? [] : [{ name, api: wire, file: requestFile }],
);
const refused = index.httpErrors
  .map(({ name, file }) => ({ name, ...(read(file) as { status: number; body: string }) }))
  .filter(({ status }) => status === 400);

/** Changes a valid request into the refused request, with the words that both refusals contain. */
const refusals: Readonly<
  Record<string, { readonly from: string; readonly damage: (body: Body) => void; readonly words: string }>
> = {
  'openai-400-reasoning-without-its-item': {
    from: 'responses-agent-4-turns.1',
    damage: ({ input }) => input.splice(input.findIndex((item: Body) => item['type'] === 'reasoning') + 1),
    words: "of type 'reasoning' was provided without its required following item",
  },
  'deepseek-400-no-tool-output': {
    from: 'deepseek-responses-tool.1',
    damage: ({ input }) => input.splice(input.length - 1),
    words: 'No tool output found for tool call',
  },
  'openai-400-bad-tool-schema': {
    from: 'chat-tool-then-text.0',
    damage: ({ tools }) => {
      tools[0].function.parameters.properties.unit = { type: 'string' };
    },
    words: 'including every key in properties',
  },
};

/** Refused for a reason that the request does not show: the key, the model, the length, or the model's own answer. */
const notTheRequest = [
  'xai-400-for-a-bad-key',
  'openai-responses-400-model',
  'openai-400-context-length',
  'anthropic-400-prompt-too-long',
  'groq-400-tool-use-failed',
];

function read(file: string): unknown {
  return JSON.parse(readFileSync(path.join(recordingsFolder, file), 'utf8'));
}

if (!hasRecordings) test.skip(`recorded refusals of requests are provoked (${recordingsRemark})`, () => {});

describe('every recorded request', () => {
  test.each(accepted)('$name is accepted', ({ api, file }) => {
    expect(validateRequest(api, read(file))).toEqual([]);
  });

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages'])('there are some of %s', (wire) => {
    expect(accepted.filter(({ api }) => api === wire).length).toBeGreaterThan(hasRecordings ? 5 : 1);
  });

  test.each(accepted.filter(({ file }) => withoutLastResult(read(file)) !== null))(
    '$name without its last tool result is refused',
    ({ api, file }) => {
      expect(validateRequest(api, withoutLastResult(read(file))).length).toBeGreaterThan(0);
    },
  );
});

/** Returns the request with one call unanswered; null if it answers no call. */
function withoutLastResult(body: unknown): Body | null {
  const { messages, input } = body as Body;
  const list: Body[] = messages ?? input;
  const at = list.findLastIndex(
    ({ role, type, content }) =>
      role === 'tool' ||
      type === 'function_call_output' ||
      (Array.isArray(content) && content.some((block: Body) => block['type'] === 'tool_result')),
  );
  if (at === -1) return null;
  const { content } = list[at]!;
  if (Array.isArray(content) && content.length > 1) content.pop();
  else list.splice(at, 1);
  return body as Body;
}

describe.skipIf(!hasRecordings)('every recorded refusal of a request', () => {
  test('has a damaged request here, or is listed as not about the request', () => {
    const names = refused.map(({ name }) => name);
    expect(names.sort()).toEqual([...Object.keys(refusals), ...notTheRequest].sort());
  });

  test.each(Object.keys(refusals))('%s: the validator refuses such a request with the same words', (name) => {
    const { from, damage, words } = refusals[name]!;
    const { api, file } = accepted.find((one) => one.name === from)!;
    const body = read(file) as Body;
    damage(body);
    expect(validateRequest(api, body).join('\n')).toContain(words);
    expect(refused.find((one) => one.name === name)?.body).toContain(words);
  });
});
