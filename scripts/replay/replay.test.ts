import { describe, expect, test } from 'vitest';
import { asEvents } from './as-events.js';
import { parseChunking } from './chunking.js';
import { compareFacts, type Facts } from './compare-facts.js';
import { parseCommand, UsageError } from './replay-options.js';
import { replay, sha256 } from './replay.js';
import type { Script } from './serve-once.js';

const jsonLines = (...events: object[]) =>
  Buffer.from(events.map((event) => JSON.stringify(event)).join('\n'));

const chat = asEvents(
  jsonLines(
    { choices: [{ delta: { content: 'Grüße ' } }] },
    {
      choices: [
        {
          delta: {
            tool_calls: [{ index: 0, id: 'a', function: { name: 'weather', arguments: '{"city":"Rom"}' } }],
          },
        },
      ],
    },
    {
      choices: [
        { delta: { tool_calls: [{ index: 1, id: 'b', function: { name: '__odd.name__', arguments: '' } }] } },
      ],
    },
    {
      choices: [{ delta: {}, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
  ),
);

function script(parts: Partial<Script> = {}): Script {
  const [status, contentType, chunking] = [200, 'text/event-stream', { kind: 'whole' }] as const;
  return { body: chat, status, contentType, chunking, cut: Infinity, reset: false, ...parts };
}

describe('one recording', () => {
  test('audit-R15 that asks for an approval ends, and says what it asks', async () => {
    const item = {
      type: 'mcp_approval_request',
      id: 'mcpr_1',
      server_label: 'zip',
      name: 'shorten',
      arguments: '{"url":"https://app.example/"}',
    };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { status: 'completed', output: [item] } },
    ];
    const replayed = await replay('openai-responses', script({ body: asEvents(jsonLines(...events)) }));
    expect(replayed).toMatchObject({
      status: 'completed',
      approvals: ['zip.shorten'],
      toolCalls: [{ name: 'zip.shorten', executed: false }],
      error: null,
    });
  });

  test('runs every tool that it calls, under the recorded names', async () => {
    for (const size of ['whole', '1', 'random:7']) {
      const replayed = await replay('openai-chat', script({ chunking: parseChunking(size)! }));
      expect(replayed).toEqual({
        status: 'completed',
        text: 'Grüße ',
        textSha256: sha256('Grüße '),
        reasoning: '',
        reasoningSha256: sha256(''),
        toolCalls: [
          { id: 'a', name: 'weather', arguments: { city: 'Rom' }, executed: true },
          { id: 'b', name: '__odd.name__', arguments: {}, executed: true },
        ],
        usage: { input: 3, output: 4, total: null, reasoning: null, cachedInput: null },
        stopReason: 'tool_calls',
        error: null,
      });
    }
  });

  test.each([false, true])(
    'W8 W9 cut before its end it is interrupted, and runs nothing (reset: %s)',
    async (reset) => {
      const cut = chat.indexOf('finish_reason');
      const { status, toolCalls, error } = await replay('openai-chat', script({ cut, reset }));
      expect([status, error?.code]).toEqual(['interrupted', 'interrupted']);
      expect(toolCalls.filter((call) => call.executed)).toEqual([]);
    },
  );

  test('H1 a status that refuses is the error that it says', async () => {
    const body = Buffer.from('{"error":{"message":"no"}}');
    const replayed = await replay(
      'openai-responses',
      script({ body, status: 401, contentType: 'application/json' }),
    );
    expect(replayed).toMatchObject({ status: 'failed', error: { code: 'auth' }, usage: null });
  });

  test('a refusal is told from text', async () => {
    const body = asEvents(
      jsonLines(
        { type: 'response.output_text.delta', output_index: 0, delta: 'Well. ' },
        { type: 'response.refusal.delta', output_index: 0, delta: 'No.' },
        { type: 'response.completed' },
      ),
    );
    const { text, refusal, status } = await replay('openai-responses', script({ body }));
    expect({ text, refusal, status }).toEqual({ text: 'Well. ', refusal: 'No.', status: 'completed' });
  });
});

describe('facts', () => {
  const facts: Facts = {
    framed: true,
    textSha256: sha256('Grüße '),
    toolCalls: [
      { id: 'a', name: 'weather', args: { city: 'Rom' } },
      { id: 'b', name: '__odd.name__', args: {} },
    ],
    usage: { input: 3, output: 4, total: null, reasoning: null, cachedInput: null },
    stopReason: 'tool_calls',
  };

  test('match, or differ in words', async () => {
    const replayed = await replay('openai-chat', script());
    expect(compareFacts(replayed, facts)).toEqual([]);
    expect(compareFacts(replayed, { ...facts, stopReason: 'stop' })).toEqual([
      'stop reason is "tool_calls", not "stop"',
    ]);
    expect(
      compareFacts(replayed, { ...facts, textSha256: sha256('x'), errors: [{}], toolCalls: [] }),
    ).toHaveLength(3);
  });
});

describe('the command line', () => {
  test.each([
    [['--api', 'openai-chat'], '--body'],
    [['--api', 'unheard-of', '--body', 'x'], 'unheard-of'],
    [['--api', 'openai-chat', '--body', '/no/such/file'], '/no/such/file'],
    [['--api', 'openai-chat', '--body', 'x', '--chunk', 'half'], 'half'],
    [['--api', 'openai-chat', '--body', 'x', '--status', '99'], '99'],
    [['--api', 'openai-chat', '--body', 'x', '--format', 'xml'], 'xml'],
    [['--index', 'x', '--cut', '1'], '--cut'],
    [['--what'], '--what'],
  ])('%j is refused, naming what is wrong', (args, named) => {
    expect(() => parseCommand(args)).toThrowError(UsageError);
    expect(() => parseCommand(args)).toThrowError(named);
  });

  test('a line that is no event is named', () => {
    expect(() => asEvents(Buffer.from('{"type":"a"}\ndata: {}\n'))).toThrowError('line 2');
  });
});
