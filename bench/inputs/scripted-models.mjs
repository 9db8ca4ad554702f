import { setImmediate as macrotask } from 'node:timers/promises';

// Models that both sides read: `({ results, signal }) => AsyncIterable<ProviderEvent>`, where `results` is the number of
// tool results that the request holds since the user's message. A side that loses a result never reaches the end.

/** Streams text. `pace`: `task` waits one macrotask before each delta, as chunks from a socket do; `none` never waits. */
export function textModel(deltas, { pace = 'none', onEmit = () => {}, deaf = false } = {}) {
  return async function* ({ signal }) {
    for (const delta of deltas) {
      if (pace === 'task') await macrotask();
      if (!deaf) signal.throwIfAborted();
      onEmit();
      yield { type: 'text', delta };
    }
    yield { type: 'finish', reason: 'stop' };
  };
}

/** Streams text, with a report of the tokens up to now after each delta, as some servers send it. */
export function reportingModel(deltas, { pace = 'none' } = {}) {
  return async function* ({ signal }) {
    let outputTokens = 0;
    for await (const event of textModel(deltas, { pace })({ signal })) {
      yield event;
      if (event.type === 'text')
        yield { type: 'usage', usage: { inputTokens: 9, outputTokens: ++outputTokens } };
    }
  };
}

/** Streams some text, then nothing forever. A deaf model does not even end when it is aborted. */
export function stallingModel(deltas, { deaf }) {
  return async function* ({ signal }) {
    for (const delta of deltas) {
      await macrotask();
      yield { type: 'text', delta };
    }
    await new Promise((_, reject) => {
      if (!deaf) signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
}

/** One tool call whose arguments come in fragments, then "done". */
export function argumentModel(tool, fragments) {
  return async function* ({ results }) {
    if (results > 0) return yield* finalAnswer();
    yield { type: 'tool-call', index: 0, id: 'call-big', tool, delta: '' };
    for (const delta of fragments) yield { type: 'tool-call', index: 0, delta };
    yield { type: 'finish', reason: 'tool-calls' };
  };
}

/** One answer with `count` tool calls, then "done". */
export function manyCallsModel(tool, count) {
  return async function* ({ results }) {
    if (results > 0) return yield* finalAnswer();
    for (let index = 0; index < count; index++)
      yield { type: 'tool-call', index, id: `call-${index}`, tool, delta: `{"n":${index}}` };
    yield { type: 'finish', reason: 'tool-calls' };
  };
}

/** `rounds` rounds of one tool call each, then "done". */
export function loopingModel(tool, rounds) {
  return async function* ({ results }) {
    if (results >= rounds) return yield* finalAnswer();
    yield { type: 'tool-call', index: 0, id: `call-${results}`, tool, delta: '{"n"' };
    yield { type: 'tool-call', index: 0, delta: `:${results}` };
    yield { type: 'tool-call', index: 0, delta: '}' };
    yield { type: 'finish', reason: 'tool-calls' };
  };
}

function* finalAnswer() {
  yield { type: 'text', delta: 'do' };
  yield { type: 'text', delta: 'ne' };
  yield { type: 'finish', reason: 'stop' };
}
