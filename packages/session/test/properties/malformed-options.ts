import {
  conflict,
  defineGuard,
  denied,
  failed,
  stop,
  success,
  type SessionOptions,
  type ToolContext,
} from '@banister/session';
import type { Bad } from './hostile-values.js';
import { badEvents } from './malformed-events.js';
import { providerOf, says, streamed } from './malformed-provider.js';

const thrown = (value: unknown): never => {
  throw value;
};

/** The options of a session, with fields of its only tool and of its domain. */
export type MalformedOptions = Partial<SessionOptions> & { tool?: object; domain?: object };
const member = (name: string, value: unknown) => ({ [name]: value });

/** The places of what an app hands in when it creates a session: each returns the options of one. */
export const badOptions: Readonly<Record<string, (bad: Bad) => MalformedOptions>> = {
  ...Object.fromEntries(
    Object.entries(badEvents).flatMap(([place, events]) => [
      [`${place} of an answer`, (bad: Bad) => ({ provider: providerOf(() => streamed(events(bad))) })],
      [
        `${place} of the output of a tool`,
        (bad: Bad) => ({
          provider: providerOf(() => streamed(events(bad)), { capabilities: { toolChoices: ['tool'] } }),
        }),
      ],
    ]),
  ),
  'the error of a provider': (bad) => ({
    provider: providerOf(() => streamed([]), { stream: () => thrown(bad()) }),
  }),
  'the error of a stream': (bad) => ({
    provider: providerOf(async function* () {
      yield says[0] as never;
      thrown(bad());
    }),
  }),
  'the error of a stream without a piece': (bad) => ({
    provider: providerOf(async function* () {
      await Promise.resolve();
      thrown(bad());
      yield undefined as never;
    }),
  }),
  'the stream': (bad) => ({ provider: providerOf(bad as never) }),
  'the context window': (bad) => ({ provider: providerOf(null, { capabilities: { contextWindow: bad() } }) }),
  'the warnings of a provider': (bad) => ({ provider: providerOf(null, { validateTools: bad }) }),
  'a warning of a provider': (bad) => ({
    provider: providerOf(null, { validateTools: () => [{ tool: bad(), path: bad(), message: bad() }] }),
  }),
  'the price of a model': (bad) => ({ provider: providerOf(null, { price: bad() }) }),
  ...Object.fromEntries(
    Object.entries({
      'the result of a tool': (bad: Bad) => bad(),
      'a field of a result': (bad: Bad) => ({ a: [bad()] }),
      'the error of a tool': (bad: Bad) => thrown(bad()),
      'the content of a success': (bad: Bad) => success(bad() as never, bad() as never),
      'a part of a success': (bad: Bad) => success({ type: 'text', text: bad() } as never),
      'an image of a success': (bad: Bad) =>
        success({ type: 'image', mediaType: bad(), data: bad() } as never),
      'a forged outcome': (bad: Bad) =>
        Object.defineProperty({ outcome: bad(), content: bad() }, Symbol.for('@banister/tool-outcome'), {
          value: true,
        }),
      'a forged success': (bad: Bad) =>
        Object.defineProperty(
          { outcome: 'success', content: [{ type: bad(), text: bad() }] },
          Symbol.for('@banister/tool-outcome'),
          { value: true },
        ),
      'a forged stop': (bad: Bad) =>
        Object.defineProperty({ outcome: 'stop', reason: bad() }, Symbol.for('@banister/tool-outcome'), {
          value: true,
        }),
      'the text of a stop': (bad: Bad) => stop(bad() as never),
      'the text of a failure': (bad: Bad) => failed(bad() as never),
      'the text of a denial': (bad: Bad) => denied(bad() as never),
      'the revisions of a conflict': (bad: Bad) => conflict(bad() as never, bad() as never),
    }).map(([place, execute]) => [place, (bad: Bad) => ({ tool: { execute: () => execute(bad) } })]),
  ),
  ...Object.fromEntries(
    Object.entries({
      'the progress of a tool': (bad: Bad, context: ToolContext) => context.progress(bad()),
      'an effect': (bad: Bad, context: ToolContext) => context.undo(bad()),
      'the description of an effect': (bad: Bad, context: ToolContext) =>
        context.undo({ description: bad(), revert: () => {} }),
      'the paths of an effect': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: () => {}, paths: bad() }),
      'a path of an effect': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: () => {}, paths: [bad()] }),
      'the values of an effect': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: () => {}, before: bad(), after: bad() }),
      'the data of an effect': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', data: bad() }),
      'the answer of a revert': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: bad, reapply: bad }),
      'the error of a revert': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: () => thrown(bad()), reapply: () => thrown(bad()) }),
      'the conflict of a revert': (bad: Bad, context: ToolContext) =>
        context.undo({ description: 'x', revert: () => conflict(bad() as never, bad() as never) }),
      'an irreversible effect': (bad: Bad, context: ToolContext) => context.irreversible(bad(), bad()),
      'the paths of an irreversible effect': (bad: Bad, context: ToolContext) =>
        context.irreversible('x', { paths: bad() }),
      'unattributed changes': (bad: Bad, context: ToolContext) => context.unattributed(bad()),
      'an unattributed change': (bad: Bad, context: ToolContext) => context.unattributed([bad()]),
    }).map(([place, execute]) => [
      place,
      (bad: Bad) => ({ tool: { execute: (_args: unknown, context: never) => void execute(bad, context) } }),
    ]),
  ),
  ...Object.fromEntries(
    ['parallel', 'timeoutMs', 'title', 'irreversible', 'undo', 'capabilities', 'parameters', 'abortable'].map(
      (name) => [`${name} of a tool`, (bad: Bad) => ({ tool: member(name, bad()) })],
    ),
  ),
  'the resources of a call': (bad) => ({ tool: { resources: bad } }),
  'a resource of a call': (bad) => ({ tool: { resources: () => [bad()] } }),
  'the preview of a call': (bad) => ({
    tool: { preview: bad },
    guards: [defineGuard('ask', () => ({ confirm: '?' }))],
  }),
  'a change in a preview': (bad) => ({
    tool: { preview: () => ({ before: bad(), after: bad() }) },
    guards: [defineGuard('ask', () => ({ confirm: '?' }))],
  }),
  'a revision': (bad) => ({ domain: { revision: bad } }),
  'the summary of a domain': (bad) => ({ domain: { summary: bad(), version: bad() } }),
  'a verdict': (bad) => ({ guards: [defineGuard('g', bad as never)] }),
  'the error of a guard': (bad) => ({ guards: [defineGuard('g', () => thrown(bad()))] }),
  'the text of a denying guard': (bad) => ({ guards: [defineGuard('g', () => ({ deny: bad() }) as never)] }),
  'the text of a question': (bad) => ({ guards: [defineGuard('g', () => ({ confirm: bad() }) as never)] }),
  'the cost in a question': (bad) => ({
    guards: [defineGuard('g', () => ({ confirm: '?', cost: bad() }) as never)],
  }),
  'an amount in a question': (bad) => ({
    guards: [defineGuard('g', () => ({ confirm: '?', cost: { amount: bad(), currency: bad() } }) as never)],
  }),
  'the code of a question': (bad) => ({
    guards: [defineGuard('g', () => ({ confirm: '?', because: bad() }) as never)],
  }),
  'the field of a code': (bad) => ({
    guards: [
      defineGuard('g', () => ({ confirm: '?', because: { code: 'capability', capability: bad() } }) as never),
    ],
  }),
  ...Object.fromEntries(
    Object.entries({
      decision: (bad: Bad) => bad(),
      'error of a decision': (bad: Bad) => thrown(bad()),
      'reason of a denial': (bad: Bad) => ({ approve: false, reason: bad() }),
      'edit of a call': (bad: Bad) => ({ approve: true, arguments: bad() }),
      'field of an edit': (bad: Bad) => ({ approve: true, arguments: { n: bad() } }),
      'memory of a decision': (bad: Bad) => ({ approve: true, remember: bad(), scope: bad(), digest: bad() }),
    }).map(([place, decide]) => [
      `the ${place}`,
      (bad: Bad) => ({
        guards: [defineGuard('ask', () => ({ confirm: '?' }))],
        confirm: (() => decide(bad)) as never,
      }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      beforeRequest: ['system', 'messages', 'tools'],
      afterResponse: ['withhold', 'again'],
      beforeToolCalls: ['arguments', 'reject'],
      onToolError: ['escalate'],
      afterTurn: ['continue'],
    }).flatMap(([hook, fields]) => [
      [`the answer of ${hook}`, (bad: Bad) => hooked(hook, bad)],
      [`the error of ${hook}`, (bad: Bad) => hooked(hook, () => thrown(bad()))],
      ...fields.map((field) => [
        `${field} in the answer of ${hook}`,
        (bad: Bad) =>
          hooked(hook, (given) => {
            const part = { [field]: bad() as unknown };
            if (hook === 'beforeRequest') return { ...(given as object), ...part };
            if (hook !== 'beforeToolCalls') return { withhold: 'w', ...part };
            return { [(given as readonly { readonly id: string }[])[0]!.id]: part };
          }),
      ]),
    ]),
  ),
  'a summary of context': (bad) => ({ context: [{ id: 'c', policy: 'always', summary: bad as never }] }),
  'the error of context': (bad) => ({
    context: [{ id: 'c', policy: 'always', summary: () => thrown(bad()) }],
  }),
  'a detail of context': (bad) => ({
    context: [{ id: 'c', policy: 'onDemand', summary: () => 'x', detail: bad as never }],
  }),
  ...Object.fromEntries(
    Object.entries({
      'the start of a history': { begin: (bad: Bad) => bad() },
      'the error of a history': { begin: (bad: Bad) => thrown(bad()) },
    }).map(([place, { begin }]) => [
      place,
      (bad: Bad) => ({ history: { begin: () => begin(bad) } as never }),
    ]),
  ),
  ...Object.fromEntries(
    ['record', 'commit', 'rollback'].flatMap((name) => [
      [`the answer to ${name}`, (bad: Bad) => historyWith({ [name]: async () => bad() })],
      [`the error of ${name}`, (bad: Bad) => historyWith({ [name]: async () => thrown(bad()) })],
    ]),
  ),
  'the report of a rollback': (bad) =>
    historyWith({
      commit: async () => thrown(new Error('No.')),
      rollback: async () => ({ done: bad(), failed: [bad()], irreversible: [{ description: bad() }] }),
    }),
  'the report of an undo': (bad) =>
    historyWith({
      commit: async () => ({
        revert: async () => ({ done: [bad()], failed: bad(), irreversible: [] }),
        irreversible: bad(),
      }),
    }),
  ...Object.fromEntries(
    ['load', 'put', 'remove'].map((name) => [
      `the answer of grants to ${name}`,
      (bad: Bad) => ({
        guards: [defineGuard('ask', () => ({ confirm: '?' }))],
        grants: {
          load: async () => [],
          put: async () => {},
          remove: async () => {},
          [name]: async () => bad(),
        } as never,
      }),
    ]),
  ),
  'a stored grant': (bad) => ({
    guards: [defineGuard('ask', () => ({ confirm: '?' }))],
    grants: {
      load: async () => [
        { id: bad(), tool: 'app.act', scope: bad(), definition: bad(), arguments: bad(), at: bad() },
      ],
      put: async () => {},
      remove: async () => {},
    } as never,
  }),
  role: (bad) => ({ role: bad() as never }),
  nothing: () => ({}),
};

function hooked(hook: string, run: (given: unknown) => unknown): MalformedOptions {
  const breaks = hook === 'onToolError' ? { tool: { execute: () => failed('No.') } } : {};
  return { ...breaks, middleware: [{ name: 'm', [hook]: run } as never] };
}

function historyWith(given: object): MalformedOptions {
  const report = { done: [], failed: [], irreversible: [] };
  const transaction = {
    record: () => {},
    commit: async () => ({ revert: async () => report, reapply: async () => report }),
    rollback: async () => report,
    ...given,
  };
  return { history: { begin: () => transaction } as never };
}
