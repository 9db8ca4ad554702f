import {
  confirmCapabilities,
  defineGuard,
  denyCapabilities,
  type CallPreview,
  type GrantStore,
  type LocalAgentSession,
  type Mode,
  type Operation,
} from '@banister/session';
import { callTools, say, settle } from '@banister/testing';
import type { Scenario } from './scenario.js';

const call = (title: string) => ({ tool: 'board.add', args: { title } });
const done = say('Done.', { usage: { inputTokens: 10, outputTokens: 5 } });
const turns = {
  Go: [callTools(call('A')), callTools(call('B'), call('C')), done],
  More: [callTools(call('D')), done],
};

const guards = [defineGuard('ask', ({ tool }) => (tool === 'board.add' ? { confirm: 'Really?' } : 'allow'))];
const modes: readonly Mode[] = [
  { id: 'ask', title: 'Ask first', guards },
  { id: 'auto', title: 'Act alone', guards: [] },
  { id: 'plan', title: 'Plan only', guards: [denyCapabilities('mutating')], note: 'Change nothing.' },
];

/** A store of one session: the next one has none of its grants. */
function ownStore(): GrantStore {
  const kept = new Map<string, Awaited<ReturnType<GrantStore['load']>>[number]>();
  return {
    load: async () => [...kept.values()],
    put: async (grant) => void kept.set(grant.id, grant),
    remove: async (id) => void kept.delete(id),
  };
}

/** Does something at the n-th operation of a type, in each session. */
function at(type: Operation['type'], n: number, act: (session: LocalAgentSession) => Promise<unknown>) {
  return (session: LocalAgentSession) => {
    let seen = 0;
    session.operations$.subscribe((operation) => {
      if (operation.type === type && ++seen === n) void act(session).catch(() => {});
    });
  };
}

const remembered = (
  name: string,
  remember: 'turn' | 'session' | 'always',
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `consent: ${name}`,
  turns,
  get options() {
    return { guards, grants: ownStore() };
  },
  decide: () => ({ approve: true, remember, scope: 'tool' }),
  ...more,
});

const revokeAll = async (session: LocalAgentSession) => {
  for (const { id } of session.grants.value) await session.revoke(id);
};

const switching = (name: string, options: Scenario['options'], watch: Scenario['watch']): Scenario => ({
  name: `consent: ${name}`,
  turns,
  options: { modes, ...options },
  ...(watch ? { watch } : {}),
});

/** Lives of a session whose user remembers approvals, takes them back, and changes the mode. */
export const consentScenarios: readonly Scenario[] = [
  remembered('an approval for the turn', 'turn'),
  remembered('an approval for the session', 'session'),
  remembered('an approval for always, in a store that the next session does not have', 'always'),
  remembered('an approval that is revoked while a call of a batch runs', 'session', {
    watch: at('toolStarted', 2, revokeAll),
  }),
  remembered('an approval that is revoked while a call of a batch runs, then declined', 'session', {
    watch: at('toolStarted', 2, revokeAll),
    decide: ({ arguments: { title } }) =>
      title === 'C' ? { approve: false } : { approve: true, remember: 'session', scope: 'tool' },
  }),
  switching('a mode that asks', {}, undefined),
  switching(
    'another mode while a question is open',
    {},
    at('confirmationRequested', 2, (session) => session.setMode('plan')),
  ),
  switching(
    'a mode that denies, while a call of a batch runs',
    { modes: modes.slice(1) },
    at('toolStarted', 2, (session) => session.setMode('plan')),
  ),
  switching(
    'a mode beside guards of the app',
    { guards: [confirmCapabilities('destructive')] },
    at('toolStarted', 1, (session) => session.setMode('auto')),
  ),
];

const shown = (...titles: readonly string[]) =>
  titles.map((title) => ({ tool: 'board.show', args: { title } }));
const restless = (...titles: readonly string[]) =>
  titles.map((title) => ({ tool: 'board.restless', args: { title } }));

const previewing = (name: string, more: Partial<Scenario> = {}): Scenario => ({
  name: `previews: ${name}`,
  turns: { Go: [callTools(...shown('A', 'B', 'C')), done] },
  options: { guards: [confirmCapabilities('mutating')] },
  ...more,
});

const touch = async (session: LocalAgentSession) => session.touch('board');

/** Lives of a session whose questions have previews, and whose user needs time. */
export const previewScenarios: readonly Scenario[] = [
  previewing('calls of a batch that change each other’s previews'),
  previewing('edited arguments, an approval that is remembered, and a call that is declined', {
    decide: ({ arguments: { title } }) => {
      if (title === 'C') return { approve: false };
      if (title === 'A') return { approve: true, remember: 'session' };
      return { approve: true, arguments: { title: `${String(title)}!` } };
    },
  }),
  previewing('a domain that changes between question and execution, until it is a conflict', {
    turns: { Go: [callTools(...restless('A', 'B')), done] },
    watch: (session) => {
      for (const nth of [1, 2, 3, 4]) at('confirmationResolved', nth, touch)(session);
    },
  }),
  previewing('a domain that changes while questions are open, and a user who needs time', {
    turns: { Go: [callTools(...restless('A', 'B')), done] },
    watch: (session) => {
      at('confirmationRequested', 2, touch)(session);
      session.operations$.subscribe((operation) => {
        if (operation.type !== 'confirmationRequested') return;
        const release = session.attend(operation.request.id);
        void settle(10).then(release);
      });
    },
  }),
];

/** Returns the calls of `board.show` that acted on other cards than the question showed which was approved last. */
export function unseenCalls(operations: readonly Operation[]): readonly string[] {
  const requests = new Map<string, CallPreview | undefined>();
  const approved = new Map<string, CallPreview | undefined>();
  const problems: string[] = [];
  for (const operation of operations) {
    if (operation.type === 'confirmationRequested')
      requests.set(operation.request.id, operation.request.preview);
    if (operation.type === 'previewRenewed') requests.set(operation.requestId, operation.preview);
    if (operation.type === 'confirmationResolved' && operation.decision === 'approved')
      approved.set(operation.callId, requests.get(operation.requestId));
    if (operation.type !== 'effectRecorded' || !approved.has(operation.callId)) continue;
    const behind = (operation.data as { readonly behind?: readonly string[] } | undefined)?.behind;
    const saw = approved.get(operation.callId);
    if (behind && JSON.stringify(saw) !== JSON.stringify({ kind: 'json', value: behind }))
      problems.push(
        `${operation.callId} acts behind ${behind.join()}, and its user saw ${JSON.stringify(saw)}`,
      );
  }
  return problems;
}

/** Whether each call of `board.add` of a scenario is asked about. */
export function asksAlways({ options }: Scenario): boolean {
  return options?.guards === guards;
}

/** Returns the calls that started though the guard asks about them, and neither the user nor a grant allowed them. */
export function unaskedCalls(operations: readonly Operation[]): readonly string[] {
  const allowed = new Set<string>();
  let grants: readonly string[] = [];
  const problems: string[] = [];
  for (const operation of operations) {
    if (operation.type === 'confirmationResolved') {
      if (operation.decision === 'approved' || operation.decision === 'edited') allowed.add(operation.callId);
      if (operation.grant) grants = [...grants, operation.grant.id];
    }
    if (operation.type === 'grantsChanged') grants = operation.grants.map(({ id }) => id);
    if (operation.type === 'guardDecided' && operation.grant !== undefined) {
      allowed.add(operation.callId);
      if (!grants.includes(operation.grant))
        problems.push(`${operation.callId}: ${operation.grant} does not stand`);
    }
    if (operation.type === 'toolStarted' && operation.tool === 'board.add' && !allowed.has(operation.callId))
      problems.push(`${operation.callId} starts, and it was not asked about`);
  }
  return problems;
}
