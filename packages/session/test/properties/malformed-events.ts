import type { Bad } from './hostile-values.js';

/** The events of an answer, with a malformed value at one place. */
export const badEvents: Readonly<Record<string, (bad: Bad) => readonly unknown[]>> = {
  'the event': (bad) => [bad()],
  'its type': (bad) => [{ type: bad(), delta: 'x' }],
  'a text': (bad) => [{ type: 'text', delta: bad() }],
  'a second text': (bad) => [
    { type: 'text', delta: '{"a":' },
    { type: 'text', delta: bad() },
  ],
  'a refusal': (bad) => [{ type: 'text', delta: 'x', refusal: bad() }],
  'a thought': (bad) => [{ type: 'thinking', delta: bad() }],
  'a signature': (bad) => [{ type: 'thinking', delta: 'x', signature: bad() }],
  'an index': (bad) => [{ type: 'tool-call', index: bad(), id: 'a', tool: 'app.act', delta: '{}' }],
  'an id': (bad) => [{ type: 'tool-call', index: 0, id: bad(), tool: 'app.act', delta: '{}' }],
  'a tool': (bad) => [{ type: 'tool-call', index: 0, id: 'a', tool: bad(), delta: '{}' }],
  arguments: (bad) => [{ type: 'tool-call', index: 0, id: 'a', tool: 'app.act', delta: bad() }],
  'more arguments': (bad) => [
    { type: 'tool-call', index: 0, id: 'a', tool: 'app.act', delta: '{"a":' },
    { type: 'tool-call', index: 0, delta: bad() },
  ],
  'the output': (bad) => [{ type: 'tool-call', index: 0, id: 'a', tool: 'banister.output', delta: bad() }],
  'an approval': (bad) => [
    { type: 'tool-call', index: 0, id: 'a', tool: 'zip.act', delta: '{}', hosted: bad() },
  ],
  'an inner id': (bad) => [
    { type: 'inner-call', id: bad(), tool: 'app.act', argumentsText: '{}', answer: () => {} },
  ],
  'an inner tool': (bad) => [
    { type: 'inner-call', id: 'a', tool: bad(), argumentsText: '{}', answer: () => {} },
  ],
  'inner arguments': (bad) => [
    { type: 'inner-call', id: 'a', tool: 'app.act', argumentsText: bad(), answer: () => {} },
  ],
  'an inner answer': (bad) => [
    { type: 'inner-call', id: 'a', tool: 'app.act', argumentsText: '{}', answer: bad() },
  ],
  'opaque data': (bad) => [{ type: 'opaque', data: bad() }],
  usage: (bad) => [{ type: 'usage', usage: bad() }],
  tokens: (bad) => [{ type: 'usage', usage: { inputTokens: bad(), outputTokens: 1 } }],
  cost: (bad) => [{ type: 'usage', usage: { inputTokens: 1, outputTokens: 1, cost: bad() } }],
  amount: (bad) => [{ type: 'usage', usage: { inputTokens: 1, cost: { amount: bad(), currency: bad() } } }],
  'an end': (bad) => [{ type: 'finish', reason: bad() }],
  'a raw end': (bad) => [{ type: 'finish', reason: 'stop', raw: bad() }],
  'the detail of an end': (bad) => [{ type: 'finish', reason: 'refusal', detail: bad() }],
};
