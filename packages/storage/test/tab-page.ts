// The code of a page: a frame loads it, and runs one session over the log that all frames share.
import { createAgentSession, defineDomain, type LocalAgentSession } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { callTools, say, scriptedProvider, stall } from '@banister/testing';
import { cardTool } from './card-tool.js';

/** The parts of a page that its tests use. */
export interface TabPage {
  readonly session: LocalAgentSession;
  /** The cards that the tool of this page has added. */
  readonly cards: readonly string[];
  readonly errors: readonly unknown[];
}

export interface TabOptions {
  readonly name: string;
  /** The time that is added to the clock of this page, in milliseconds. */
  readonly skewMs?: number;
  /** Whether the timers of the page fire. Default true. */
  readonly hasTimers?: boolean;
  /** Whether the first answer never ends. */
  readonly stalls?: boolean;
}

function open({ name, skewMs = 0, hasTimers = true, stalls = false }: TabOptions): TabPage {
  const cards: string[] = [];
  const errors: unknown[] = [];
  const call = callTools({ tool: 'board.add', args: { title: 'Plan' } });
  const clock = {
    now: () => Date.now() + skewMs,
    schedule(callback: () => void, ms: number) {
      const handle = hasTimers ? setTimeout(callback, ms) : undefined;
      return () => clearTimeout(handle);
    },
  };
  const session = createAgentSession({
    provider: scriptedProvider(stalls ? [stall('Hello')] : [call, say('Done.'), call, say('Done again.')]),
    domains: [defineDomain({ id: 'board', tools: [cardTool(cards)] })],
    id: 'chat-42',
    log: indexedDbLog({ name, clock }),
    ports: { clock, reportError: (error) => void errors.push(error) },
  });
  return { session, cards, errors };
}

Object.assign(globalThis, { openTab: open });
