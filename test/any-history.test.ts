import { settle, validateRequest } from '@handrail/testing';
import type { JsonValue, ProviderRequest } from '@handrail/session/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRun } from './kit/property-run.js';
import { actionsOf, type Action } from '../packages/session/test/properties/schedule-actions.js';
import { ScheduledSession, setups } from '../packages/session/test/properties/scheduled-session.js';
import { apis, bodyOf, model, server } from './request-bodies.js';

// Any history that a session can produce becomes a request that the server of each API accepts: after cancels, failures,
// denials, edits, undo, redo and retries, and with parts that another provider wrote.

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

/** Actions that a schedule has beside everything else that can happen to a session. */
function furtherActions(scheduled: ScheduledSession): readonly Action[] {
  const { session, provider, disposed } = scheduled;
  const stream = provider.streams.findLast((one) => !one.over && !one.signal.aborted);
  const isIdle = !session.state.isRunning && session.state.phase === 'idle' && !disposed;
  const ofProvider = opaque[provider.id];
  return [
    {
      name: 'switch provider',
      weight: isIdle ? 6 : 0,
      run: (detail) => {
        provider.id = ['openai', 'anthropic', 'hand-fed'][detail % 3]!;
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
    ...(['enqueue', 'steer'] as const).map((way) => ({
      name: way,
      weight: disposed ? 0 : 1,
      run: () => void scheduled.give(way, session[way]('And then this')),
    })),
    {
      name: 'parts of the provider',
      weight: stream && !stream.finished && ofProvider ? 6 : 0,
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
    const shapes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(setups, steps, async (setup, schedule) => {
        const scheduled = new ScheduledSession(setup);
        const { session, provider, clock } = scheduled;
        for (const { choice, detail, ticks } of schedule) {
          const actions = [...actionsOf(scheduled), ...furtherActions(scheduled)];
          let left = (choice / 10_000) * actions.reduce((sum, { weight }) => sum + weight, 0);
          await actions.find(({ weight }) => (left -= weight) < 0)!.run(detail);
          await settle(ticks);
        }
        const disposed = session.dispose();
        await clock.advance(120_000); // a revert that hangs is given up
        await disposed;
        const last: ProviderRequest = {
          system: '',
          messages: [
            ...session.state.conversation.messages,
            { id: 'next', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
          ],
          tools: [],
          idempotencyKey: 'key',
        };
        histories++;
        for (const request of [...provider.streams.map((stream) => stream.request), last]) {
          requests++;
          for (const part of request.messages.flatMap((message) => message.parts))
            shapes.set(part.type, (shapes.get(part.type) ?? 0) + 1);
          for (const api of apis) {
            const body = await bodyOf(api, request);
            const problems = validateRequest(api, body);
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
      'image',
      'opaque',
      'text',
      'thinking',
      'tool-call',
      'tool-result',
    ]);
    expect(requests).toBeGreaterThan(2 * histories);
  },
);
