// Section 10 of the contract: documents that were saved by earlier releases open for ever. CORPUS=write writes those of this one.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  createAgentSession,
  SAVED_VERSION,
  type Message,
  type SavedConversation,
  type TurnRecord,
} from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { lives } from './corpus/lives.js';
import { outline } from './fixture.js';

const folder = new URL('corpus/', import.meta.url);

if (process.env['CORPUS'] === 'write') {
  const target = new URL(`v${SAVED_VERSION}/`, folder);
  await mkdir(target, { recursive: true });
  for (const [name, live] of Object.entries(lives))
    await writeFile(
      new URL(`${name.replaceAll(' ', '-')}.json`, target),
      `${JSON.stringify(await live(), null, 1)}\n`,
    );
}

async function documents(version: number): Promise<readonly (readonly [string, SavedConversation])[]> {
  const names = (await readdir(new URL(`v${version}/`, folder))).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(`v${version}/${name}`, folder), 'utf8');
      return [name.slice(0, -'.json'.length), JSON.parse(text) as SavedConversation] as const;
    }),
  );
}

const [first, second] = await Promise.all([documents(1), documents(2)]);

function open(conversation: SavedConversation) {
  return createAgentSession({ provider: scriptedProvider([say('Next.')]), conversation });
}

/** A document of version 1. */
interface Version1 {
  readonly messages: readonly Message[];
  readonly turns: readonly Omit<TurnRecord, 'parentId'>[];
}

/** The messages and turns of a document in words, for a file that stays as it is for ever. */
function inWords(document: SavedConversation): string {
  const { conversation, turns, lastOutcome } = open(document).state;
  const lines = turns.map(({ id, parentId, status, retryOf, undo, effects, messageIds }) => {
    const state = undo === undefined ? '' : `, ${undo.state}`;
    const again = retryOf === undefined ? '' : `, again after ${retryOf}`;
    return `${id} after ${parentId}: ${status}${state}${again}, ${messageIds.length} messages, ${effects.length} effects`;
  });
  return [...outline(conversation.messages), ...lines, `last: ${lastOutcome?.status ?? 'none'}`, ''].join(
    '\n',
  );
}

describe('D9 a document that version 1 saved', () => {
  it.each(first)(
    'opens with the same messages, and with the turns of its path: %s',
    async (name, document) => {
      const { state } = open(document);
      const old = document as unknown as Version1;
      expect(state.conversation.messages).toEqual(old.messages);
      const repeated = new Set(old.turns.map(({ retryOf }) => retryOf));
      const path = old.turns.filter(({ id }) => !repeated.has(id));
      expect(state.turns).toMatchObject(path);
      expect(state.turns).toHaveLength(path.length);
      await expect(inWords(document)).toMatchFileSnapshot(`corpus/v1/${name}.txt`);
    },
  );
});

describe('D9 a document that version 2 saved', () => {
  it.each(second)('opens with the same messages and turns: %s', async (name, document) => {
    await expect(inWords(document)).toMatchFileSnapshot(`corpus/v2/${name}.txt`);
  });
});

describe('a document that any version saved', () => {
  it.each([...first, ...second])('is saved again without a loss: %s', (_name, document) => {
    const { state, save } = open(document);
    const { state: again } = open(JSON.parse(JSON.stringify(save())) as SavedConversation);
    expect(again).toEqual(state);
    expect(open(save()).state).toEqual(state);
  });

  it.each([...first, ...second])('goes on with a next turn: %s', async (_name, document) => {
    await using session = open(document);
    expect((await session.send('Go on')).text).toBe('Next.');
  });
});
