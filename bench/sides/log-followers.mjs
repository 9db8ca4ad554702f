import { createAgentSession, effect } from './built-session.mjs';

/** Sessions that follow the writer of a log. The first session stops reading at its third record, until the writer has ended. */
export async function createLogFollowers({ log, id, count }) {
  let goOn = () => {};
  const ended = new Promise((resolve) => (goOn = resolve));
  const slow = {
    ...log,
    async *tail(...args) {
      let records = 0;
      for await (const record of log.tail(...args)) {
        if (++records === 3) await ended;
        yield record;
      }
    },
  };
  const provider = { id: 'bench', model: 'scripted', async *stream() {} };
  const sessions = Array.from({ length: count }, (_, index) =>
    createAgentSession({ provider, id, log: index === 0 ? slow : log }),
  );
  await Promise.all(sessions.map(opened));
  return {
    /** Resolves when all sessions except the first have the state of the writer. */
    level: ({ sequence }) => Promise.all(sessions.slice(1).map((session) => reached(session, sequence))),
    /** Resolves when all sessions have the state of the writer. */
    async end({ sequence }) {
      goOn();
      await reached(sessions[0], sequence);
    },
    states: () => sessions.map(({ state }) => state),
  };
}

function opened({ link }) {
  return new Promise((resolve) => {
    effect(() => {
      if (link.value.open) resolve();
    });
  });
}

async function reached(session, sequence) {
  while (session.state.sequence < sequence) await new Promise((resolve) => setTimeout(resolve, 10));
}
