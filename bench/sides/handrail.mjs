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
 * Handrail behind the same methods as the floor. Its reader looks at what the floor's looks at, and with `liveTurn` at the
 * record of the running turn too, which a chat shows once a frame.
 *
 * `scheduler` is a name, or one of the measurement's own.
 */
export function createHandrail({ model, tools = {}, past = [], scheduler = 'immediate', liveTurn = false }) {
  const session = createAgentSession({
    provider: providerOf(model, past.length),
    domains: [domainOf(tools)],
    ...(past.length > 0 ? { conversation: savedConversation(past) } : {}),
    // High enough for hundreds of rounds; every limit is counted and checked all the same.
    limits: { maxRounds: 10_000, maxToolCalls: 10_000, timeoutMs: 600_000 },
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
    pieces: (reader) => textPieces(session).subscribe(({ text }) => reader(text)),
  };
}

function providerOf(model, pastLength) {
  return {
    id: 'bench',
    model: 'scripted',
    capabilities: { images: false },
    stream: ({ messages }, signal) => model({ results: resultsIn(messages, pastLength), signal }),
  };
}

/** Each round of one call adds two messages behind the user's; the last must be a success. */
function resultsIn(messages, pastLength) {
  const results = (messages.length - pastLength - 1) / 2;
  const part = messages.at(-1).parts[0];
  const answered = results === 0 || (part.type === 'tool-result' && part.outcome === 'success');
  return answered ? results : -1;
}

function domainOf(tools) {
  return defineDomain({
    id: 'bench',
    tools: Object.entries(tools).map(([id, { parameters, execute }]) =>
      defineTool({
        name: id.slice('bench.'.length),
        description: `For measuring: ${id}.`,
        parameters,
        execute,
      }),
    ),
  });
}
