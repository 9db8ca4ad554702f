import type { JsonObject, Operation, SessionLog, SessionOptions } from '@banister/session';
import type { LogChannel } from '@banister/session/log';
import { createVirtualClock, memoryLog, type AnswerSource } from '@banister/testing';
import { id } from './log-world.js';
import { createSession, opened, type OpenedSession } from './opened.js';

/** Returns the delays of the copies of a message, in milliseconds: none if the message is lost. */
export type Fate = (message: JsonObject) => readonly number[];

/** A message that arrives once, at once. */
export const arrives: Fate = () => [0];

/** A process with sessions of one log. It can be killed, and its messages have the fate that a test chooses. */
export interface LossyNode extends OpenedSession {
  /** From now on the process does nothing that another process can see. */
  kill(): void;
}

/** Creates a log that several processes share. */
export function lossyWorld() {
  const clock = createVirtualClock(1_000);
  // Without snapshots the log keeps every record, and `stored` has all operations.
  const inner: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };

  /** @param appended called after each record that the process stores */
  async function open(
    answers: readonly AnswerSource[] = [],
    options: Partial<SessionOptions> = {},
    {
      fate = arrives,
      appended = () => {},
    }: { fate?: Fate; appended?: (node: { kill(): void }) => void } = {},
  ): Promise<LossyNode> {
    let isDead = false;
    const kill = () => void (isDead = true);
    const never = () => new Promise<never>(() => {});
    const alive = <R>(call: () => Promise<R>) =>
      isDead ? never() : call().then((r) => (isDead ? never() : r));
    const log: SessionLog = {
      ...inner,
      claim: (...args) => alive(() => inner.claim(...args)),
      renew: (...args) => alive(() => inner.renew(...args)),
      release: (...args) => alive(() => inner.release(...args)),
      load: (...args) => alive(() => inner.load(...args)),
      append: (...args) =>
        alive(async () => {
          await inner.append(...args);
          appended({ kill });
        }),
      channel: (name) => lossyChannel(inner.channel!(name), (message) => (isDead ? [] : fate(message))),
    };
    const node = createSession(answers, { id, log, ...options }, clock);
    await opened(node.session);
    return { ...node, kill };
  }

  function lossyChannel(channel: LogChannel, fateOf: Fate): LogChannel {
    return {
      get listening() {
        return channel.listening;
      },
      post(message) {
        for (const ms of fateOf(message))
          if (ms === 0) channel.post(message);
          else clock.schedule(() => channel.post(message), ms);
      },
      messages: (signal) => channel.messages(signal),
    };
  }

  return {
    clock,
    open,
    async stored(): Promise<readonly Operation[]> {
      return (await inner.load(id)).records.flatMap(({ operations }) => operations);
    },
  };
}
