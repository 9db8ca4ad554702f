// A tool hands `idempotencyKey` to a server, and the page dies at any operation.
import { createCompiledValidator } from '@banister/schema/compiled';
import { beforeAll, expect, inject, it } from 'vitest';
import {
  confirmTools,
  createAgentSession,
  immediate,
  type LocalAgentSession,
  type SessionLog,
  type Tool,
} from '@banister/session';
import {
  callInside,
  callTools,
  createVirtualClock,
  finishWith,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  spyTool,
  type ScriptedAnswer,
} from '@banister/testing';
import { drawnOf } from '../../../../test/kit/sample-size.js';
import { cachedValidator } from '../cached-validator.js';
import { loadMatcher } from '../../src/tools/pattern-matcher.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([import('../../src/session/log-chunk.js'), import('../../src/session/end-interruption.js')]),
);

const validator = cachedValidator(createCompiledValidator(loadMatcher));
const id = 'chat-1';
const pay = (to: string) => ({ tool: 'app.pay', args: { to } });

/** The ways in which a call starts: those of an answer, one beside the other, one inside an answer, one that was confirmed. */
const paths: Readonly<Record<string, { readonly answer: ScriptedAnswer; readonly more?: Partial<Tool> }>> = {
  'one call': { answer: callTools('I pay. ', pay('Ann')) },
  'calls in a row': { answer: callTools('I pay. ', pay('Ann'), pay('Ben')) },
  'calls side by side': { answer: callTools(pay('Ann'), pay('Ben')), more: { parallel: true } },
  'calls inside an answer': {
    answer: finishWith('stop', 'I pay. ', callInside(pay('Ann')), callInside(pay('Ben')), 'Paid.'),
  },
  'a call that was confirmed': { answer: callTools('I pay. ', pay('Ann')) },
};

/** A server that pays once a key, and counts the keys of each recipient. */
class Server {
  readonly keys = new Map<string, Set<string>>();

  pay(to: string, key: string): void {
    this.keys.set(to, (this.keys.get(to) ?? new Set()).add(key));
  }
}

/** A page that dies at one of its moments: what it does afterwards reaches neither the log nor the server. */
class Page {
  isDead = false;
  private moments = 0;

  constructor(private readonly diesAt: number) {}

  /** Is called at each operation, each write and each payment. */
  readonly moment = (): void => {
    if (++this.moments === this.diesAt) this.isDead = true;
  };

  async alive(): Promise<void> {
    if (this.isDead) await new Promise<never>(() => {});
  }
}

type Path = keyof typeof paths;
interface Life {
  readonly replay: NonNullable<Tool['replay']>;
  readonly path: Path;
  readonly by: 'resume' | 'abandon';
  readonly tabs: boolean;
}

function world({ replay, path, by }: Life) {
  const clock = createVirtualClock(1_000);
  const server = new Server();
  const log = memoryLog({ clock });
  const { answer, more } = paths[path]!;
  /** The log as a page reaches it: each write takes a while. */
  const lineOf = (page: Page): SessionLog => ({
    ...log,
    async append(...given) {
      await settle(6);
      await page.alive();
      await log.append(...given);
      page.moment();
      await page.alive();
    },
    snapshot: async () => {},
    async renew(lease) {
      await page.alive();
      await log.renew(lease);
    },
  });
  const open = (page: Page, ends: boolean): LocalAgentSession => {
    const tool = spyTool('pay', {
      replay,
      ...more,
      async execute(args, { idempotencyKey }) {
        await page.alive();
        server.pay((args as { readonly to: string }).to, idempotencyKey);
        page.moment();
        await page.alive();
        return 'Paid.';
      },
    });
    const provider = scriptedProvider([], {
      otherwise: ({ messages }) =>
        messages.some(({ parts }) => parts.some(({ type }) => type === 'tool-result'))
          ? say('Done.')
          : answer,
    });
    const session = createAgentSession({
      provider: { ...provider, stream: (...given) => untilDead(page, provider.stream(...given)) },
      domains: [{ id: 'app', tools: [tool] }],
      guards: path === 'a call that was confirmed' ? [confirmTools('app.pay')] : [],
      id,
      log: lineOf(page),
      ...(ends ? { onInterrupted: by } : {}),
      ports: { clock, scheduler: immediate(), validator, reportError: () => {} },
    });
    session.operations$.subscribe((operation) => {
      page.moment();
      if (operation.type !== 'confirmationRequested') return;
      const { id: question } = operation.request;
      void settle(20).then(() => (page.isDead ? null : session.respond(question, { approve: true })));
    });
    return session;
  };
  return { clock, server, open };
}

async function* untilDead<T>(page: Page, events: AsyncIterable<T>): AsyncIterable<T> {
  for await (const event of events) {
    await page.alive();
    yield event;
  }
}

/** Returns what the server saw, and the session that ended the turn of the page that died. */
async function livedThrough(life: Life, diesAt: number) {
  const { clock, server, open } = world(life);
  const page = new Page(diesAt);
  const first = open(page, false);
  await settle(40);
  const second = life.tabs ? open(new Page(0), true) : null;
  await settle(40);
  void first.send('Pay');
  for (let time = 0; time < 12; time++) {
    await settle(60);
    await clock.advance(60);
  }
  const died = page.isDead;
  page.isDead = true;
  const session = second ?? open(new Page(0), true);
  for (let time = 0; time < 12; time++) {
    await clock.advance(5_000);
    await settle(60);
  }
  return { died, server, session };
}

const lives = (['never', 'ask', 'safe'] as const).flatMap((replay) =>
  Object.keys(paths).flatMap((path) =>
    (['resume', 'abandon'] as const).flatMap((by) =>
      [false, true].map((tabs) => ({ replay, path, by, tabs })),
    ),
  ),
);

// In the quick tier every fourth moment, by the seed of the day.
const step = inject('tier') === 'full' ? 1 : 4;
const first = 1 + (inject('propertySeed') % step);

it.each(drawnOf(lives, 7))(
  'audit-S1 a server that counts by key is paid once for each call, wherever the page dies: replay $replay, $path, $by, another tab $tabs',
  async (life) => {
    for (let diesAt = first; ; diesAt += step) {
      const { died, server, session } = await livedThrough(life, diesAt);
      const where = `at moment ${diesAt}`;
      for (const [to, keys] of server.keys) expect([...keys], `${to}, ${where}`).toHaveLength(1);
      expect(session.link.value.role, where).toBe('writer');
      const { liveTurn, interrupted, turns } = session.state;
      expect([liveTurn, interrupted], where).toEqual([null, null]);
      // A payment is in the record of its turn, as done or as not known.
      const calls = turns
        .flatMap(({ rounds }) => rounds.flatMap(({ parts }) => parts))
        .filter((part) => part.type === 'tool-call');
      const keysOf = new Set(turns.flatMap((turn) => calls.map((call) => `${turn.id}-${call.id}`)));
      for (const [to, keys] of server.keys)
        for (const key of keys) expect(keysOf.has(key), `${to}, ${where}`).toBe(true);
      await session.dispose();
      if (!died) break;
    }
  },
);
