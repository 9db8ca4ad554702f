import type { JsonObject } from '@banister/session';
import type { LogChannel } from '@banister/session/log';
import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import type { LogStage, Reader } from './log-stage.js';

/** Facts about the channel of a session. */
export const channelFacts: readonly ProvenLogFact[] = [
  {
    fact: 'channel',
    description: 'a message reaches every other end of its session, in order, and not its own',
    async prove(stage) {
      const [a, b, c] = [await endOf(stage), await endOf(stage, stage.other), await endOf(stage)];
      const elsewhere = await endOf(stage, stage.log, 'chat-2');
      for (let number = 1; number <= 3; number++) a.channel.post({ number });
      assertEqual((await b.reader.take(3)).map(numberOf), [1, 2, 3], 'the messages at b');
      assertEqual((await c.reader.take(3)).map(numberOf), [1, 2, 3], 'the messages at c');
      b.channel.post({ number: 4 });
      assertEqual((await a.reader.take(1)).map(numberOf), [4], 'the messages at a: none of its own');
      assertEqual((await c.reader.take(1)).map(numberOf), [4], 'the next message at c');
      const other = await endOf(stage, stage.other, 'chat-2');
      other.channel.post({ number: 5 });
      assertEqual((await elsewhere.reader.take(1)).map(numberOf), [5], 'the messages of another session');
    },
  },
  {
    fact: 'channel-end',
    description: 'the messages end when their signal fires; the other ends go on',
    async prove(stage) {
      const [a, b, c] = [await endOf(stage), await endOf(stage, stage.other), await endOf(stage)];
      const waiting = b.reader.next();
      b.reader.controller.abort();
      assertEqual((await waiting).done, true, 'the end while it waits');
      a.channel.post({ number: 1 });
      assertEqual((await b.reader.next()).done, true, 'the end afterwards');
      assertEqual((await c.reader.take(1)).map(numberOf), [1], 'the messages at another end');
      const fired = new AbortController();
      fired.abort();
      const late = stage.reader((signal) => a.channel.messages(signal), fired);
      assertEqual((await late.next()).done, true, 'the end of a reader that is late');
    },
  },
  {
    fact: 'channel-copies',
    description: 'a message is a copy for each reader',
    async prove(stage) {
      const [a, b, c] = [await endOf(stage), await endOf(stage), await endOf(stage)];
      const message = { inner: { number: 1 } };
      a.channel.post(message);
      message.inner.number = 2;
      const [[atB], [atC]] = [await b.reader.take(1), await c.reader.take(1)];
      assertEqual([atB, atC], [{ inner: { number: 1 } }, { inner: { number: 1 } }], 'the messages');
      assert(atB !== atC && atB?.['inner'] !== atC?.['inner'], 'two readers share a message');
    },
  },
];

interface End {
  readonly channel: LogChannel;
  readonly reader: Reader<JsonObject>;
}

/** Opens an end of a channel, and waits until it listens. */
async function endOf(stage: LogStage, log = stage.log, id = stage.id): Promise<End> {
  const channel = log.channel?.(id);
  assert(channel !== undefined, 'the log has no channel; declare it in `skip`');
  const reader = stage.reader((signal) => channel.messages(signal));
  await stage.listening(channel);
  return { channel, reader };
}

function numberOf(message: JsonObject): unknown {
  return message['number'];
}
