import { AgentSessionError } from '@banister/session';
import type { FinishReason } from '@banister/provider';
import { boardTools } from './board-domain.js';
import type { FedStream } from './hand-fed-provider.js';
import type { Action } from './schedule-actions.js';
import type { ScheduledSession } from './scheduled-session.js';

/** Mostly finishes without a fault, so that the turn goes on. */
const reasons: readonly FinishReason[] = [
  ...Array<FinishReason>(12).fill('tool-calls'),
  'stop',
  'length',
  'refusal',
  'content-filter',
  'unknown',
];
const failures = ['overloaded', 'network', 'auth', 'rate-limit', 'context-length'] as const;

/** Actions of the model's side: stream, finish, end, fail, and go on after the reader has gone. */
export function providerActions({ provider, session }: ScheduledSession): readonly Action[] {
  const open = provider.streams.filter((stream) => !stream.over);
  const current = open.findLast((stream) => !stream.signal.aborted);
  const deaf = open.filter((stream) => stream.signal.aborted);
  const streaming = session.state.phase === 'streaming' || session.state.phase === 'retrying';
  return [
    ...(current === undefined || !streaming ? [] : answering(current)),
    ...(deaf.length === 0
      ? []
      : [
          {
            name: 'late event',
            weight: 1,
            run: (detail: number) => lateEvent(deaf[detail % deaf.length]!, detail),
          },
        ]),
  ];
}

function answering(stream: FedStream): readonly Action[] {
  const { calls, finished, request, openInnerCalls } = stream;
  // After a round of tools the model is mostly done: turns that complete are those that can be undone.
  const afterTools = request.messages.at(-1)?.parts[0]?.type === 'tool-result';
  if (finished) {
    return [
      { name: 'end', weight: 10, run: () => stream.end() },
      { name: 'usage', weight: 2, run: (detail) => usage(stream, detail) },
      { name: 'text after finish', weight: 0.2, run: () => stream.feed({ type: 'text', delta: 'more' }) },
    ];
  }
  return [
    {
      name: 'text',
      weight: 2,
      run: (detail) => stream.feed({ type: 'text', delta: texts[detail % texts.length]! }),
    },
    {
      name: 'finish and end',
      // A model that waits for the result of an inner call seldom ends its answer.
      weight: openInnerCalls > 0 ? 0.2 : calls.length > 0 || afterTools ? 9 : 1,
      run: (detail) => {
        stream.feed({ type: 'finish', reason: reasons[detail % reasons.length]! });
        stream.end();
      },
    },
    {
      name: 'call',
      weight: calls.length < 4 && openInnerCalls === 0 ? (afterTools ? 3 : 9) : 0,
      run: (detail) => call(stream, detail),
    },
    {
      name: 'inner call',
      weight: calls.length === 0 && openInnerCalls < 3 ? 1.5 : 0,
      run: (detail) => innerCall(stream, detail),
    },
    { name: 'fragment', weight: calls.length > 0 ? 1 : 0, run: (detail) => fragment(stream, detail) },
    {
      name: 'thinking',
      weight: 1,
      run: (detail) =>
        stream.feed({
          type: 'thinking',
          delta: texts[detail % texts.length]!,
          ...(detail % 3 === 0 ? { signature: `s${detail}` } : {}),
        }),
    },
    { name: 'opaque', weight: 0.3, run: (detail) => stream.feed({ type: 'opaque', data: { detail } }) },
    { name: 'usage', weight: 0.5, run: (detail) => usage(stream, detail) },
    {
      name: 'finish',
      weight: 1,
      run: (detail) => stream.feed({ type: 'finish', reason: reasons[detail % reasons.length]! }),
    },
    {
      name: 'fail',
      weight: 0.5,
      run: (detail) =>
        stream.fail(new AgentSessionError(failures[detail % failures.length]!, 'It went wrong.')),
    },
    { name: 'throw', weight: 0.15, run: () => stream.fail(new TypeError('terminated')) },
    { name: 'end without finish', weight: 0.3, run: () => stream.end() },
    {
      name: 'become deaf',
      weight: stream.deaf ? 0 : 0.4,
      run: () => {
        stream.deaf = true;
      },
    },
  ];
}

const texts = ['word ', '', 'a longer piece of text ', '\ud83d\ude00', ' '];

function usage(stream: FedStream, detail: number): void {
  const cost = detail % 2 === 0 ? {} : { cost: { amount: detail / 100, currency: 'USD' } };
  stream.feed({ type: 'usage', usage: { inputTokens: detail, outputTokens: 1, ...cost } });
}

/** A tool call, whole or in pieces; its arguments decide how the tool behaves. Some are invalid. */
function call(stream: FedStream, detail: number): void {
  const index = stream.calls.length;
  const { id, tool, text } = callOf(detail);
  const cut = detail % 11;
  stream.feed({ type: 'tool-call', index, id, tool, delta: text.slice(0, cut) });
  stream.feed({ type: 'tool-call', index, delta: text.slice(cut) });
}

function innerCall(stream: FedStream, detail: number): void {
  const { id, tool, text } = callOf(detail);
  stream.feedInnerCall(id, tool, text);
}

function callOf(detail: number): { readonly id: string; readonly tool: string; readonly text: string } {
  const domain = detail % 7 === 3 ? 'shelf' : 'board';
  const name = detail % 19 === 18 ? 'nonsense' : boardTools[toolOrder[detail % toolOrder.length]!]!;
  const flags = {
    ...(detail % 5 === 1 ? { early: true } : {}),
    ...(detail % 4 === 2 ? { twice: true } : {}),
    ...(detail % 4 === 1 ? { deaf: true } : {}),
    ...(detail % 3 === 1 ? { careful: true } : {}),
  };
  const args = JSON.stringify({ place: `p${detail % 2}`, title: `t${detail}`, ...flags });
  const text = detail % 23 === 22 ? args.slice(0, -2) : detail % 29 === 28 ? '{"place": 3}' : args;
  return { id: detail % 6 === 0 ? 'same' : `provider-${detail}`, tool: `${domain}.${name}`, text };
}

/** Mostly writes, whose effects undo has to take back. */
const toolOrder = [0, 0, 1, 0, 2, 0, 3, 0, 4, 1];

function fragment(stream: FedStream, detail: number): void {
  stream.feed({ type: 'tool-call', index: detail % stream.calls.length, delta: ' ' });
}

function lateEvent(stream: FedStream, detail: number): void {
  if (detail % 3 === 0) stream.end();
  else if (detail % 3 === 1) stream.feed({ type: 'text', delta: 'too late' });
  else stream.fail(new AgentSessionError('network', 'Too late.'));
}
