import { createAgentSession, defineDomain, defineTool, type TurnRecord } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { openRelease } from '../release/open-release.fixture.js';
import { receiptOf } from './receipt.js';

let end = () => Promise.resolve();
afterEach(() => end());

/**
 * A turn that greeted Ada, and was cut while it greeted Grace. The tool says nothing about the second call.
 */
async function cutTurn(title?: string): Promise<TurnRecord> {
  const running = new AbortController();
  const greet = defineTool({
    name: 'greet',
    ...(title === undefined ? {} : { title }),
    description: 'Greets a person.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    execute({ name }, { undo }) {
      if (name === 'Grace') return new Promise<string>(() => running.abort());
      undo({ description: `Greeted ${name}`, revert() {} });
      return 'greeted';
    },
  });
  const call = (name: string) => callTools({ tool: 'house.greet', args: { name } });
  const session = createAgentSession({
    provider: scriptedProvider([call('Ada'), call('Grace'), say('Done.')]),
    domains: [defineDomain({ id: 'house', tools: [greet] })],
  });
  end = () => session.dispose();
  const turn = session.send('Greet them').catch(() => {});
  await vi.waitUntil(() => running.signal.aborted, 30_000);
  await session.cancel({ immediate: true });
  await turn;
  return session.turns.peek().at(-1)!;
}

/** The lines of a receipt, with their kinds. */
function linesOf(record: TurnRecord): readonly string[] {
  const describe = ({ arguments: args }: { readonly arguments?: unknown }) => JSON.stringify(args);
  const { groups } = receiptOf(record, describe, [])!;
  return groups.flatMap(({ kind, lines }) => lines.map(({ text }) => `${kind}: ${text}`));
}

test.each([undefined, 'Greet a person'])(
  'an effect without a description is described by its arguments, not by its tool: %s',
  async (title) => {
    const record = await cutTurn(title);
    const { report } = record.outcome!;
    expect(report!.unknown).toMatchObject([{ description: title ?? 'house.greet' }]);
    const lines = ['taken-back: Greeted Ada', 'unknown: {"name":"Grace"}'];
    expect(linesOf(record)).toEqual(lines);
    expect(linesOf({ ...record, undo: { state: 'partly-undone', report: report! } })).toEqual(lines);
  },
);

test('the receipt of a plan has a group for each step whose changes were taken back, and one for each step that was undone alone', async () => {
  const { session } = openRelease();
  end = () => session.dispose();
  session.pendingConfirmations.subscribe((all) => {
    for (const { id, call } of all) void session.respond(id, { approve: call.tool === 'plan.carry_out' });
  });
  await session.send('Plan the release');
  const groups = () =>
    receiptOf(session.turns.peek()[0]!, ({ tool }) => tool, [])?.groups.map(
      ({ heading, lines }) => `${heading}: ${lines.length}`,
    );
  expect(groups()).toBeUndefined();
  const [turn] = session.turns.peek();
  const child = childrenOf(turn!).find(({ key }) => key === 'checks')!.id;
  await session.undo({ turnId: turn!.id, child });
  expect(groups()).toEqual(['Taken back · Add the checks: 4']);
  await session.undo();
  expect(groups()?.toSorted()).toEqual([
    'Taken back · Announce the release: 1',
    'Taken back · Rehearse going back: 1',
    'Taken back · Write the notes: 2',
  ]);
});
