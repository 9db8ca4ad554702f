import { savedConversation } from '../inputs/saved-conversation.mjs';
import {
  createAgentSession,
  defineDomain,
  defineTool,
  effect,
  frames,
  immediate,
  textPieces,
} from './built-session.mjs';

const schedulers = { frames, immediate };

/**
 * Banister with the same methods as the floor. Its reader reads the same values as the floor's reader; with `liveTurn` also the
 * record of the running turn, which a chat shows once a frame.
 *
 * `scheduler` is a name of `schedulers`, or a scheduler that a workload makes. `operations` are the log of the messages in `past`.
 */
export function createBanister({
  model,
  tools = {},
  past = [],
  operations,
  conversation = past.length > 0 && operations === undefined ? savedConversation(past) : undefined,
  scheduler = 'immediate',
  liveTurn = false,
  limits = {},
  middleware = [],
}) {
  const session = createAgentSession({
    provider: providerOf(model, past.length),
    domains: [domainOf(tools)],
    middleware,
    ...(conversation === undefined ? {} : { conversation }),
    ...(operations === undefined ? {} : { restored: restoredFrom(operations) }),
    // High enough for hundreds of rounds; every limit is still counted and checked.
    limits: { maxRounds: 10_000, maxToolCalls: 10_000, timeoutMs: 600_000, ...limits },
    ports: { scheduler: schedulers[scheduler]?.() ?? scheduler },
  });
  return {
    send: (input) => session.send(input),
    cancel: () => void session.cancel(),
    isRunning: () => session.isRunning.peek(),
    text: () => session.currentText.peek(),
    arguments: () => session.activeToolCalls.peek()[0]?.arguments,
    messageCount: () => session.conversation.peek().messages.length,
    watch: (reader) =>
      effect(() => {
        void [session.currentText.value, session.activeToolCalls.value];
        void [session.conversation.value, session.isRunning.value];
        if (liveTurn) void session.liveTurn.value;
        reader();
      }),
    deltas: (reader) =>
      session.operations$.subscribe((operation) => {
        if (operation.type === 'text') reader(operation.delta);
      }),
    pieces: (reader) => textPieces(session).subscribe(({ text }) => reader(text)),
  };
}

function restoredFrom(operations) {
  return { snapshot: null, records: [{ version: 1, revision: 1, epoch: 1, operations }] };
}

function providerOf(model, pastLength) {
  return {
    id: 'bench',
    model: 'scripted',
    capabilities: { images: false },
    stream: ({ messages }, signal) => model({ results: resultsIn(messages, pastLength), signal }),
  };
}

/** Each round with calls adds two messages after the user's message; the result of its first call must be a success. */
function resultsIn(messages, pastLength) {
  const results = (messages.length - pastLength - 1) / 2;
  const part = messages.at(-1).parts[0];
  const answered = results === 0 || (part.type === 'tool-result' && part.outcome === 'success');
  return answered ? results : -1;
}

/** A domain for each object of tools, shared by all sessions, as in an app. */
const domains = new WeakMap();

function domainOf(tools) {
  const domain = domains.get(tools) ?? defineDomainOf(tools);
  domains.set(tools, domain);
  return domain;
}

function defineDomainOf(tools) {
  return defineDomain({
    id: 'bench',
    tools: Object.entries(tools).map(([id, tool]) =>
      defineTool({
        ...tool,
        name: id.slice('bench.'.length),
        description: `For measuring: ${id}.`,
      }),
    ),
  });
}
