// A chat of many messages. Its times are measured by `npm run bench -- storage`.
import { createAgentSession, type SavedConversation, type SavedTurn } from '@banister/session';
import { savedState } from '@banister/session/log';
import { createSequentialIds, say, scriptedProvider } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { eachLog, newLog } from './each-log.js';
import { removeFiles } from './temporary-folder.js';
import { opened } from './faulty-turns.js';

afterAll(removeFiles);

/** Repeats the same turn, each time with new ids. */
function repeated(saved: SavedConversation, times: number): SavedConversation {
  const text = JSON.stringify(saved.turns[0]);
  const turns = Array.from({ length: times }, (_, index) => {
    const copy = text.replaceAll(/"((?:message|turn)_\d+)"/g, `"$1_${index}"`);
    const before = index === 0 ? 'null' : `"turn_1_${index - 1}"`;
    return JSON.parse(copy.replace('"parentId":null', `"parentId":${before}`)) as SavedTurn;
  });
  return { ...saved, head: `turn_1_${times - 1}`, turns };
}

describe.each(eachLog)('a session over %s', (_name, connect) => {
  test('D14 a chat of 10,000 messages is complete after a reload', async () => {
    await using short = createAgentSession({
      provider: scriptedProvider([say('An answer.')]),
      ports: { ids: createSequentialIds() },
    });
    await short.send('A question');
    const conversation = repeated(short.save(), 5_000);
    await using long = createAgentSession({ provider: scriptedProvider([]), conversation });
    const number = newLog();
    const log = connect(number);
    const lease = await log.claim('chat', 'earlier', 60_000);
    await log.append(
      lease,
      { version: 1, revision: 1, epoch: lease.epoch, operations: [] },
      { barrier: true },
    );
    await log.snapshot(lease, 1, savedState(long.state));
    await log.release(lease);

    const provider = scriptedProvider([say('The last.')]);
    const session = await opened(createAgentSession({ provider, id: 'chat', log: connect(number) }));
    const { messages } = session.conversation.value;
    expect(messages).toHaveLength(10_000);
    expect(messages).toEqual(long.state.conversation.messages);
    expect(session.turns.value).toEqual(long.state.turns);
    expect((await session.send('And now?')).text).toBe('The last.');
    expect(provider.requests[0]!.messages).toHaveLength(10_001);
    await session.dispose();
    const { records } = await log.load('chat');
    expect(records.length).toBeLessThan(20);
  });
});
