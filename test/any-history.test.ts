import {
  AgentSessionError,
  toolCallsOf,
  type JsonValue,
  type Provider,
  type ProviderRequest,
  withFallback,
} from '@banister/provider';
import { compaction, createAgentSession, type Operation, type SavedConversation } from '@banister/session';
import { scriptedProvider, settle, validateRequest } from '@banister/testing';
import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import { propertyRun } from './kit/property-run.js';
import { actionsOf, type Action } from '../packages/session/test/properties/schedule-actions.js';
import { ScheduledSession, setups } from '../packages/session/test/properties/scheduled-session.js';
import { resolveAttachments } from '../packages/session/src/context/resolve-attachments.js';
import { compactionLoaded } from '../packages/session/test/compaction-loaded.js';
import { filesLoaded, pdfFile, pngFile, textFile } from '../packages/session/test/files.js';
import { apis, bodyOf, model, server } from './request-bodies.js';

// Any history that a session can produce becomes a request that the server of each API accepts: after cancels, failures,
// denials, edits, undo, redo and retries, on branches, after compactions, with parts that another provider wrote, also in the
// middle of a turn, and after its tools were removed.

beforeAll(() =>
  Promise.all([
    filesLoaded(),
    compactionLoaded(),
    import('../packages/session/src/session/branch-commands.js'),
  ]),
);

/** The opaque parts that the adapters write into a conversation, by the id of their provider. */
const opaque: Readonly<Record<string, (detail: number) => readonly JsonValue[]>> = {
  openai: (detail) => {
    const item = (fields: JsonValue, of = server): JsonValue => ({
      api: 'responses',
      server: of,
      model,
      item: fields,
    });
    const reasoning = { type: 'reasoning', id: `rs_${detail}`, summary: [], status: 'completed' };
    return [
      [item({ ...reasoning, encrypted_content: 'gAAA' })],
      [item(reasoning)],
      [item({ ...reasoning, encrypted_content: 'gAAA' }, 'http://elsewhere.invalid/v1')],
      [item({ ...reasoning, content: [{ type: 'reasoning_text', text: 'Hm.' }] })],
      [item({ type: 'web_search_call', id: `ws_${detail}`, status: 'completed' })],
      [
        item({ ...reasoning, encrypted_content: 'gAAA' }),
        item({ type: 'web_search_call', id: `ws_${detail}`, status: 'in_progress' }),
      ],
      [item({ type: 'mcp_approval_request', id: `mcpr_${detail}`, name: 'x', arguments: '{}' })],
      [item({ type: 'message', id: `msg_${detail}`, role: 'assistant', content: [], phase: 'commentary' })],
      [{ api: 'chat', server, reasoningDetails: [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }] }],
    ][detail % 9]!;
  },
  anthropic: (detail) => {
    const search = { type: 'server_tool_use', id: `srv_${detail}`, name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', tool_use_id: `srv_${detail}`, content: [] };
    return [
      [{ type: 'redacted_thinking', data: 'xyz' }],
      [search, found],
      [search],
      [found],
      [{ citations: { citations: [{ type: 'char_location' }], textLength: 4 } }],
      [{ caller: { caller: { type: 'code_execution', tool_id: 'x' }, callId: 'same', container: 'c' } }],
    ][detail % 6]!;
  },
};

/** The second provider of a fallback, by the id of the first. */
const others: Readonly<Record<string, string>> = { openai: 'anthropic', anthropic: 'openai' };
/** The streams that a second provider gave. */
const ofOther = new WeakMap<ScheduledSession['provider']['streams'][number], string>();

/** The provider of a schedule, with another one of the same model for its failures. */
function fallbackOf({ provider, clock }: ScheduledSession): Provider {
  const second: Provider = {
    id: others[provider.id] ?? 'openai',
    model,
    get capabilities() {
      return provider.capabilities;
    },
    stream: (request, signal) => {
      const answer = provider.stream(request, signal);
      ofOther.set(provider.streams.at(-1)!, second.id);
      return answer;
    },
  };
  return withFallback([provider, second], { clock });
}

/** Commands that go to another branch, and compactions: they decide which messages a request has. */
function pathActions(scheduled: ScheduledSession, isIdle: boolean): readonly Action[] {
  const { session } = scheduled;
  const { turns, branches, compactions } = session.state;
  const ids = [...new Set([...turns.map(({ id }) => id), ...Object.keys(branches)])];
  const onTurn = (
    name: string,
    weight: number,
    run: (id: string, detail: number) => Promise<unknown>,
  ): Action => ({
    name,
    weight: isIdle && ids.length > 0 ? weight : 0,
    run: (detail) => void scheduled.give(name, run(ids[detail % ids.length]!, detail)),
  });
  return [
    onTurn('regenerate', 1, (turnId, detail) =>
      session.regenerate({ turnId, effects: detail % 2 === 0 ? 'keep' : 'undo', force: true }),
    ),
    onTurn('edit', 1, (id) => session.edit(id, 'Another text')),
    onTurn('switchTo', 2, (id) => session.switchTo(id, { force: true })),
    { name: 'clear', weight: isIdle ? 0.2 : 0, run: () => void scheduled.give('clear', session.clear()) },
    {
      name: 'compact',
      weight: isIdle ? 4 : 0,
      run: () => void scheduled.give('compact', session.compact()),
    },
    {
      name: 'uncompact',
      weight: isIdle && compactions.length > 0 ? 6 : 0,
      run: (detail) =>
        void scheduled.give('uncompact', session.uncompact(compactions[detail % compactions.length]!.id)),
    },
    {
      name: 'compact by itself',
      weight: isIdle ? 1 : 0,
      run: (detail) => {
        const setting = compaction({ at: 0.2, to: 0.1, summary: detail % 2 === 0 });
        session.configure({ compaction: detail % 3 === 0 ? null : setting });
      },
    },
  ];
}

/** Actions that a schedule has beside everything else that can happen to a session. */
function furtherActions(scheduled: ScheduledSession): readonly Action[] {
  const { session, provider, app, disposed } = scheduled;
  const stream = provider.streams.findLast((one) => !one.over && !one.signal.aborted);
  const isIdle = !session.state.isRunning && session.state.phase === 'idle' && !disposed;
  const ofProvider = opaque[(stream && ofOther.get(stream)) ?? provider.id];
  const isSummary = stream?.request.idempotencyKey?.endsWith('-summary') === true;
  return [
    ...pathActions(scheduled, isIdle),
    {
      name: 'summary',
      weight: isSummary && !stream.finished ? 30 : 0,
      run: (detail) => {
        if (detail % 4 === 3) stream!.fail(new TypeError('terminated'));
        else stream!.feed({ type: 'text', delta: 'They spoke.' });
        stream!.feed({ type: 'finish', reason: 'stop' });
        stream!.end();
      },
    },
    {
      name: 'remove tools',
      weight: isIdle ? 0.5 : 0,
      run: (detail) =>
        void session.configure({ domains: detail % 3 === 0 ? app.domains : app.domains.slice(detail % 2) }),
    },
    {
      name: 'fall back',
      weight: isIdle ? 3 : 0,
      run: (detail) =>
        void session.configure({ provider: detail % 4 === 0 ? provider : fallbackOf(scheduled) }),
    },
    {
      name: 'fail for the next provider',
      weight: stream && !stream.finished && !ofOther.has(stream) ? 3 : 0,
      run: () => stream!.fail(new AgentSessionError('auth', 'It is down.')),
    },
    {
      name: 'switch provider',
      weight: isIdle ? 6 : 0,
      run: (detail) => {
        provider.id = ['openai', 'anthropic', 'hand-fed'][detail % 3]!;
        // Another model of the same API cannot read the parts of this one.
        provider.model = detail % 13 === 0 ? 'another' : model;
        const [images, pdfs, imagesInResults] = [detail % 5 > 0, detail % 7 > 0, detail % 11 > 0];
        provider.capabilities = { images, pdfs, imagesInResults, contextWindow: 1_000 };
      },
    },
    {
      name: 'send an image',
      weight: isIdle ? 1 : 0,
      run: (detail) => {
        const mediaType = detail % 4 === 3 ? 'image/tiff' : 'image/png';
        void scheduled.give(
          'send',
          session.send({ text: 'Look', images: [{ mediaType, data: 'iVBORw0KGgo=' }] }),
        );
      },
    },
    ...(['send', 'enqueue', 'steer'] as const).map((way) => ({
      name: `${way} files`,
      weight: disposed || (way === 'send' && !isIdle) ? 0 : 1.5,
      run: (detail: number) => {
        const files = [pdfFile(), pngFile(), textFile('Hello'), pngFile('again.png')];
        const text = detail % 3 === 0 ? '' : 'Look';
        void scheduled.give(way, session[way]({ text, files: files.slice(detail % 4) }));
      },
    })),
    ...(['enqueue', 'steer'] as const).map((way) => ({
      name: way,
      weight: disposed ? 0 : 1,
      run: () => void scheduled.give(way, session[way]('And then this')),
    })),
    {
      name: 'parts of the provider',
      weight: stream && !stream.finished && ofProvider ? 12 : 0,
      run: (detail) => {
        for (const data of ofProvider!(detail)) stream!.feed({ type: 'opaque', data });
      },
    },
    {
      name: 'half an emoji',
      weight: stream && !stream.finished ? 0.5 : 0,
      run: () => stream!.feed({ type: 'text', delta: 'half \ud83d' }),
    },
    {
      name: 'call of an odd id',
      weight: stream && !stream.finished && stream.calls.length < 4 ? 2 : 0,
      run: (detail) => {
        const id = ['', 'a.b:c', 'a_b_c', 'x'.repeat(90), 'call_1', 'y'.repeat(50)][detail % 6]!;
        const { length: index } = stream!.calls;
        stream!.feed({
          type: 'tool-call',
          index,
          id,
          tool: 'board.look',
          delta: '{"place":"p","title":"t"}',
        });
      },
    },
  ];
}

/**
 * Returns the requests of sessions that continue a conversation without its tools: a session without tools,
 * and a session with another tool.
 */
async function requestsWithoutTools(conversation: SavedConversation): Promise<readonly ProviderRequest[]> {
  const provider = scriptedProvider([], { otherwise: 'Yes.' });
  const tool = { name: 'fly', description: 'Flies.', parameters: { type: 'object' }, execute: () => null };
  for (const tools of [[], [tool]]) {
    const session = createAgentSession({ provider, conversation, domains: [{ id: 'other', tools }] });
    await session.send('Go on.', { toolChoice: 'none' });
    await session.send('Go on.');
    await session.dispose();
  }
  for (const { messages, tools, toolChoice } of provider.requests.filter((request) => request.toolChoice)) {
    const called = messages.flatMap(toolCallsOf).map((call) => call.tool);
    expect(toolChoice).toBe('none');
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(called));
  }
  return provider.requests;
}

/** The parts of a body that only the model reads which wrote them, by their adapter. */
const ownShapes: Readonly<Record<string, RegExp>> = {
  anthropic: /"type":"(?:redacted_thinking|server_tool_use)"/,
  openai: /"type":"(?:reasoning|web_search_call)"|"reasoning_details":|"phase":"commentary"/,
};

const steps = fc.noBias(
  fc.array(
    fc.record({ choice: fc.nat(9_999), detail: fc.nat(999), ticks: fc.constantFrom(200, 200, 200, 0, 3) }),
    {
      minLength: 10,
      maxLength: 60,
      size: 'max',
    },
  ),
);

test(
  'X3 U8 S-16 S-17 S-19 any history of a session makes a valid request of each API',
  { timeout: 300_000 },
  async () => {
    let requests = 0;
    let histories = 0;
    let summaries = 0;
    const shapes = new Map<string, number>();
    const facts = new Map<Operation['type'], number>();
    const bodies = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(setups, steps, async (setup, schedule) => {
        const scheduled = new ScheduledSession(setup);
        const { session, provider, clock } = scheduled;
        session.operations$.subscribe(({ type }) => facts.set(type, (facts.get(type) ?? 0) + 1));
        for (const { choice, detail, ticks } of schedule) {
          const actions = [...actionsOf(scheduled), ...furtherActions(scheduled)];
          let left = (choice / 10_000) * actions.reduce((sum, { weight }) => sum + weight, 0);
          await actions.find(({ weight }) => (left -= weight) < 0)!.run(detail);
          await settle(ticks);
        }
        const saved = session.save();
        const disposed = session.dispose();
        await clock.advance(120_000); // a revert that hangs is given up
        await disposed;
        const last: ProviderRequest = {
          system: '',
          messages: [
            ...resolveAttachments(session.state.conversation.messages, session.state.attachments, provider)
              .messages,
            { id: 'next', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
          ],
          tools: [],
          idempotencyKey: 'key',
        };
        histories++;
        const removed = await requestsWithoutTools(saved);
        for (const request of [...provider.streams.map((stream) => stream.request), last, ...removed]) {
          requests++;
          if (request.messages.some(({ kind }) => kind === 'summary')) summaries++;
          for (const part of request.messages.flatMap((message) => message.parts))
            shapes.set(part.type, (shapes.get(part.type) ?? 0) + 1);
          for (const api of apis) {
            const body = await bodyOf(api, request);
            const problems = validateRequest(api, body);
            for (const [adapter, shape] of Object.entries(ownShapes))
              if (shape.test(JSON.stringify(body))) bodies.set(adapter, (bodies.get(adapter) ?? 0) + 1);
            if (problems.length > 0)
              throw new Error(
                [api, ...problems, JSON.stringify(request.messages), JSON.stringify(body)].join('\n'),
              );
          }
        }
      }),
      propertyRun('any history', 500),
    );
    // Histories that hold nothing would pass as well.
    expect([...shapes.keys()].sort()).toEqual([
      'file',
      'image',
      'opaque',
      'text',
      'thinking',
      'tool-call',
      'tool-result',
    ]);
    for (const type of [
      'contextCompacted',
      'contextUncompacted',
      'providerSwitched',
      'headMoved',
      'steered',
    ] as const)
      expect([type, facts.get(type) ?? 0]).not.toEqual([type, 0]);
    // It would be invalid too if histories had parts that no adapter sends, because another model wrote each
    // of them. In the quick tier, the few histories may lack the parts of one adapter, depending on the seed.
    expect(bodies.size).toBeGreaterThan(0);
    if (inject('tier') === 'full') expect([...bodies.keys()].sort()).toEqual(Object.keys(ownShapes).sort());
    // A mark may stand on a branch that nothing is asked of, or be taken back before the next request.
    expect(summaries).toBeGreaterThan(0);
    expect(requests).toBeGreaterThan(2 * histories);
  },
);
