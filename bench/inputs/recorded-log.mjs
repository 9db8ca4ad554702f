import { createAgentSession, defineDomain, defineTool, immediate } from '../sides/built-session.mjs';
import { loopingModel } from './scripted-models.mjs';

/**
 * The operations of a session with `turns` turns, as from JSON: a recorded turn with a tool call and its effect, repeated with new ids. The
 * revision of its domain continues from turn to turn.
 */
export async function recordedLog(turns) {
  const { operations, ids } = await recordedTurn();
  const text = JSON.stringify(operations);
  const log = [];
  for (let turn = 1; turn <= turns; turn++) {
    let copy = text;
    for (const id of ids) copy = copy.replaceAll(`"${id}"`, `"${id}_${turn}"`);
    for (const steps of [0, 1])
      copy = copy.replaceAll(`"revision-${steps}"`, `"revision_${turn - 1 + steps}"`);
    for (const operation of JSON.parse(copy)) log.push({ ...operation, sequence: log.length + 1 });
  }
  return log;
}

async function recordedTurn() {
  const ids = [];
  let steps = 0;
  const step = defineTool({
    name: 'step',
    description: 'For measuring.',
    parameters: { type: 'object' },
    execute: async (_given, { undo }) => {
      steps++;
      undo({ description: 'Made a step', revert() {} });
    },
  });
  const model = loopingModel('bench.step', 1);
  const session = createAgentSession({
    provider: {
      id: 'bench',
      model: 'scripted',
      capabilities: { images: false },
      stream: ({ messages }, signal) => model({ results: (messages.length - 1) / 2, signal }),
    },
    domains: [defineDomain({ id: 'bench', tools: [step], revision: () => `revision-${steps}` })],
    ports: {
      scheduler: immediate(),
      ids: {
        next(kind) {
          ids.push(`${kind}-${ids.length}`);
          return ids.at(-1);
        },
      },
    },
  });
  const operations = [];
  session.operations$.subscribe((operation) => operations.push(withoutHistory(operation)));
  await session.send('Hello');
  const calls = operations.flatMap(({ type, callId }) => (type === 'toolStarted' ? [callId] : []));
  return { operations, ids: [...ids, ...calls] };
}

/** An operation as a log stores it: without the messages of the request, because the folded state has them. */
function withoutHistory(operation) {
  if (operation.type !== 'modelCallStarted') return operation;
  return { ...operation, request: { ...operation.request, messages: [], tools: [] } };
}
