import { setMaxListeners } from 'node:events';
import { effect, signal } from '@preact/signals-core';
import { IncrementalJson } from './incremental-json.mjs';

/**
 * The least that a session can do: one loop over the provider, one string concatenation, one signal write and one run of
 * the reader's effect for each delta. It has no errors, limits, confirmations, undo or records.
 *
 * Both sides have the same methods: `send`, `cancel`, `isRunning`, `text`, `arguments`, `messageCount`, and `watch`,
 * whose reader runs at every publication.
 */
export function createFloor({ model, tools = {}, past = [], cancellable = false }) {
  const text = signal('');
  const partial = signal({ root: undefined });
  const isRunning = signal(false);
  const messages = signal(past.slice());
  let connection;

  async function answer(results) {
    const calls = [];
    let json;
    text.value = '';
    const { signal: aborted } = connection;
    const events = model({ results, signal: aborted })[Symbol.asyncIterator]();
    const stop = new Promise((resolve) =>
      aborted.addEventListener('abort', () => resolve({ done: true }), { once: true }),
    );
    for (;;) {
      const pull = events.next();
      // Racing every pull against the abort costs; only the cancelled turn needs it.
      const { done, value: event } = cancellable ? await Promise.race([pull, stop]) : await pull;
      if (aborted.aborted) {
        pull.catch(() => {});
        return null;
      }
      if (done) return calls;
      if (event.type === 'text') text.value += event.delta;
      else if (event.type === 'tool-call') {
        if (event.tool !== undefined) {
          json = new IncrementalJson();
          calls.push({ tool: event.tool, id: event.id, text: '' });
        }
        calls[event.index].text += event.delta;
        json.write(event.delta);
        partial.value = { root: json.root };
      }
    }
  }

  async function turn() {
    let results = 0;
    for (;;) {
      const calls = await answer(results);
      if (calls === null) return;
      const added = [{ role: 'assistant', text: text.value, calls }];
      const outputs = await Promise.all(calls.map((call) => tools[call.tool].execute(JSON.parse(call.text))));
      outputs.forEach((output, index) => added.push({ role: 'tool', id: calls[index].id, output }));
      results += outputs.length;
      messages.value = [...messages.value, ...added];
      if (calls.length === 0) return;
    }
  }

  return {
    async send(input) {
      connection = new AbortController();
      // Each request adds a listener, as in the reference floor. It is not a leak, because all of them end with the turn.
      setMaxListeners(0, connection.signal);
      isRunning.value = true;
      messages.value = [...messages.value, { role: 'user', text: input }];
      try {
        await turn();
      } finally {
        isRunning.value = false;
      }
    },
    cancel() {
      isRunning.value = false;
      connection.abort();
    },
    isRunning: () => isRunning.peek(),
    text: () => text.peek(),
    arguments: () => partial.peek().root,
    messageCount: () => messages.peek().length,
    watch: (reader) =>
      effect(() => {
        void [text.value, partial.value, messages.value, isRunning.value];
        reader();
      }),
  };
}
