// How the verdicts of several guards combine, and that a guard which fails denies.
import { describe, expect, it } from 'vitest';
import { callTools, forcedGuard, say, settle, spyTool } from '@banister/testing';
import {
  confirmCapabilities,
  confirmTools,
  defineGuard,
  denyTools,
  type Guard,
  type Tool,
  type Verdict,
} from '@banister/session';
import { fixture, resultTexts } from './fixture.js';

const call = { tool: 'board.work' };

async function decided(guards: readonly Guard[], tool: Tool = spyTool('work')) {
  const domains = [{ id: 'board', tools: [tool, spyTool('other')] }];
  const f = fixture([callTools(call), say('Done.')], { domains, guards, reportsErrors: true });
  void f.session.send('Go');
  await settle();
  const asked = f.session.pendingConfirmation.value;
  void asked?.approve();
  await settle();
  await f[Symbol.asyncDispose]();
  return {
    asked,
    started: f.observed.types.filter((type) => type === 'toolStarted').length,
    audit: f.observed.operations.flatMap((op) =>
      op.type === 'guardDecided' ? [`${op.guard}: ${op.verdict}`] : [],
    ),
    rejected: f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : [])),
    result: resultTexts(f.provider.requests[1]!)[0] ?? '',
    outcome: f.session.lastOutcome.value?.status,
    reported: f.reported,
  };
}

const allow = () => forcedGuard('allow', 'allow');
const ask = (name: string, reason = 'Sure?') => forcedGuard(name, { confirm: reason });
const deny = (name: string) => forcedGuard(name, { deny: 'Not today.' });

describe('verdicts of several guards', () => {
  it('if all guards allow, the call runs, and the audit lists every guard in order', async () => {
    const { asked, started, audit } = await decided([allow(), forcedGuard('second', 'allow')]);
    expect(asked).toBeNull();
    expect(started).toBe(1);
    expect(audit).toEqual(['allow: allow', 'second: allow']);
  });

  it('the first guard that confirms provides the name, reason and cost of the question', async () => {
    const cost = { amount: 0.5, currency: 'EUR' };
    const { asked, audit, started } = await decided([
      allow(),
      forcedGuard('first', { confirm: 'First?', cost }),
      forcedGuard('second', { confirm: 'Second?', cost: { amount: 9, currency: 'USD' } }),
    ]);
    expect(asked).toMatchObject({ guard: 'first', reason: 'First?', cost, answeredBy: 'signal' });
    expect(audit).toEqual(['allow: allow', 'first: confirm', 'second: confirm']);
    expect(started).toBe(1);
  });

  it.each([
    ['after a confirm', () => [ask('asks'), deny('denies')]],
    ['before a confirm', () => [deny('denies'), ask('asks')]],
    ['after an allow', () => [allow(), deny('denies')]],
  ] as const)('a deny takes precedence %s; no question opens', async (_name, guards) => {
    const { asked, started, rejected, result, outcome } = await decided(guards());
    expect(asked).toBeNull();
    expect(started).toBe(0);
    expect(rejected).toMatchObject([{ reason: 'denied' }]);
    expect(result).toMatch(/board\.work.*Not today\./);
    expect(outcome).toBe('completed');
  });

  it('each call is shown to each guard once, with tool, arguments, capabilities and irreversibility', async () => {
    const guard = allow();
    await decided([guard], spyTool('work', { capabilities: ['paid', 'networking'], irreversible: true }));
    expect(guard.calls).toEqual([
      {
        id: expect.any(String),
        tool: 'board.work',
        arguments: {},
        capabilities: ['paid', 'networking'],
        irreversible: true,
      },
    ]);
  });

  it('calls that are unknown or invalid are never given to a guard', async () => {
    const guard = ask('asks');
    await using f = fixture(
      [
        callTools(
          { tool: 'board.nowhere' },
          { tool: 'board.work', args: { title: 1 } },
          { tool: 'board.work', argumentsText: '{"ti' },
        ),
        say('Done.'),
      ],
      {
        domains: [
          {
            id: 'board',
            tools: [
              spyTool('work', { parameters: { type: 'object', properties: { title: { type: 'string' } } } }),
            ],
          },
        ],
        guards: [guard],
      },
    );
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(guard.calls).toEqual([]);
  });
});

describe('a guard that fails closes', () => {
  it.each([
    [
      'throws',
      defineGuard('bad', () => {
        throw new Error('boom');
      }),
    ],
    ['rejects', defineGuard('bad', () => Promise.reject(new Error('boom')))],
    [
      'throws no Error',
      defineGuard('bad', () => {
        throw null;
      }),
    ],
    ['answers nothing', defineGuard('bad', () => undefined as unknown as Verdict)],
    ['answers true', defineGuard('bad', () => true as unknown as Verdict)],
    ['answers another word', defineGuard('bad', () => 'ALLOW' as unknown as Verdict)],
    [
      'returns an object without a verdict',
      defineGuard('bad', () => ({ allow: true }) as unknown as Verdict),
    ],
    ['confirms without a reason', defineGuard('bad', () => ({ confirm: true }) as unknown as Verdict)],
  ])('OP-26 %s: the call is denied, the turn goes on', async (_name, guard) => {
    const { started, asked, rejected, outcome, reported } = await decided([guard]);
    expect(reported).toHaveLength(1);
    expect(asked).toBeNull();
    expect(started).toBe(0);
    expect(rejected).toMatchObject([{ reason: 'denied' }]);
    expect(outcome).toBe('completed');
  });

  it('its error goes to the port `reportError` unchanged', async () => {
    const error = new Error('boom');
    const { reported } = await decided([defineGuard('bad', () => Promise.reject(error))]);
    expect(reported).toEqual([error]);
    expect(reported[0]).toBe(error);
  });

  it('if a guard returns no verdict, the error names the guard and the possible verdicts', async () => {
    const { result, reported } = await decided([defineGuard('bad', () => true as unknown as Verdict)]);
    const fault = 'its verdict is none of "allow", { confirm: text } and { deny: text }';
    expect(result).toContain(`The guard "bad" failed: ${fault}.`);
    expect(reported).toEqual([new Error(fault)]);
  });

  it('audit-V2 a `forUser` that is not a string is reported, and the call is denied', async () => {
    const verdict = { deny: 'Not now.', forUser: 7 } as unknown as Verdict;
    const { result, rejected, reported } = await decided([defineGuard('bad', () => verdict)]);
    expect(result).toContain('The guard "bad" failed: the forUser of its verdict is no string.');
    expect(rejected).toMatchObject([{ reason: 'denied' }]);
    expect(reported).toEqual([new Error('the forUser of its verdict is no string')]);
  });

  it('an error thrown because the signal fired is not reported', async () => {
    const guard = defineGuard('slow', (_call, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    });
    await using f = fixture([callTools(call)], {
      domains: [{ id: 'board', tools: [spyTool('work')] }],
      guards: [guard],
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await settle();
    await f.session.cancel();
    await settle();
    expect(f.reported).toEqual([]);
  });

  it('T19 the model reads the message of its error, without stack and cause', async () => {
    const { result } = await decided([
      defineGuard('bad', () => {
        throw new Error('boom', { cause: new Error('secret') });
      }),
    ]);
    expect(result).toContain('boom');
    expect(result).not.toContain('secret');
    expect(result).not.toMatch(/\bat .*:\d+/);
  });

  it('a guard that never answers ends with the turn at the time limit', async () => {
    await using f = fixture([callTools(call)], {
      domains: [{ id: 'board', tools: [spyTool('work')] }],
      guards: [forcedGuard('slow', 'hang')],
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await f.clock.advance(60_000);
    expect(f.session.lastError.value?.code).toBe('timeout');
    expect(f.observed.types).not.toContain('toolStarted');
  });

  it('a deny whose reason is not a string still denies', async () => {
    const { started } = await decided([defineGuard('bad', () => ({ deny: false }) as unknown as Verdict)]);
    expect(started).toBe(0);
  });

  it('a verdict with both deny and confirm denies', async () => {
    const { started, asked } = await decided([
      defineGuard('both', () => ({ confirm: 'x', deny: 'y' }) as unknown as Verdict),
    ]);
    expect(asked).toBeNull();
    expect(started).toBe(0);
  });
});

describe('built-in guards', () => {
  it('confirmTools asks for the listed tools only', async () => {
    expect((await decided([confirmTools('board.work')])).asked?.reason).toContain('board.work');
    expect((await decided([confirmTools('board.other')])).asked).toBeNull();
  });

  it('AK-D8 confirmCapabilities asks by capability, a tool without any counts as mutating', async () => {
    expect((await decided([confirmCapabilities('mutating')])).asked?.reason).toContain('mutating');
    expect((await decided([confirmCapabilities('paid')])).asked).toBeNull();
    const paid = spyTool('work', { capabilities: ['networking', 'paid'] });
    expect((await decided([confirmCapabilities('paid', 'destructive')], paid)).asked?.reason).toContain(
      'paid',
    );
  });

  it('U7 the prompt for an irreversible tool is marked as irreversible', async () => {
    const { asked } = await decided([confirmTools('board.work')], spyTool('work', { irreversible: true }));
    expect(asked?.irreversible).toBe(true);
    expect(asked?.reason).toMatch(/cannot be undone/);
  });

  it('denyTools refuses the listed tools, and the model reads that', async () => {
    const { started, result } = await decided([denyTools('board.work')]);
    expect(started).toBe(0);
    expect(result).toMatch(/board\.work.*not allowed/);
  });

  const wrong = (message: RegExp) =>
    expect.objectContaining({
      code: 'invalid-configuration',
      message: expect.stringMatching(message) as string,
    });

  it.each([
    ['confirmTools', confirmTools('work')],
    ['denyTools', denyTools('board.wrok')],
    ['confirmTools', confirmTools(['board.work'] as never)],
  ])('%s for an unknown tool is refused, because it would protect nothing', async (name, guard) => {
    const unknown = new RegExp(`${name} names .*does not exist`);
    await expect(decided([guard])).rejects.toEqual(wrong(unknown));
    await using f = fixture([], {
      domains: [{ id: 'board', tools: [spyTool('work'), spyTool('other')] }],
    });
    expect(() => f.session.configure({ guards: [guard] })).toThrow(wrong(unknown));
  });

  it('unknown capabilities are refused when the guard is made', () => {
    expect(() => confirmCapabilities(['destructive'] as never)).toThrow(wrong(/none of "readOnly"/));
    expect(() => confirmCapabilities('destructiv' as never)).toThrow(wrong(/"destructiv"/));
  });

  it('defineGuard refuses a guard without a name or a function', () => {
    expect(() => defineGuard('', () => 'allow')).toThrow(/name/);
    expect(() => defineGuard('x', undefined as never)).toThrow(/function/);
  });
});

describe('decide, then act', () => {
  it('no call of a batch starts before all its calls are decided', async () => {
    await using f = fixture(
      [callTools(call, { ...call, args: { n: 2 } }, { ...call, args: { n: 3 } }), say('Done.')],
      {
        domains: [{ id: 'board', tools: [spyTool('work', { capabilities: ['readOnly'] })] }],
        guards: [allow()],
      },
    );
    await f.session.send('Go');
    const order = f.observed.types.filter((type) => type === 'guardDecided' || type === 'toolStarted');
    expect(order).toEqual([
      'guardDecided',
      'guardDecided',
      'guardDecided',
      'toolStarted',
      'toolStarted',
      'toolStarted',
    ]);
  });
});

describe('what ran before in the turn', () => {
  it('agents M5: has the capabilities of calls that began, not of those that were refused or wait', async () => {
    const seen: string[] = [];
    const watch = defineGuard('watch', ({ tool }, { ranBefore }) => {
      seen.push(`${tool} after ${[...ranBefore].sort().join()}`);
      return 'allow';
    });
    const tools = [
      spyTool('fetch', { capabilities: ['networking'] }),
      spyTool('pay', { capabilities: ['paid'] }),
      spyTool('break', {
        capabilities: ['destructive'],
        execute: () => {
          throw new Error('Broken.');
        },
      }),
      spyTool('write'),
    ];
    const calls = (...names: readonly string[]) =>
      callTools(...names.map((tool) => ({ tool: `app.${tool}` })));
    await using f = fixture(
      [
        calls('fetch', 'write'),
        calls('pay'),
        calls('break'),
        calls('write'),
        say('Done.'),
        calls('write'),
        say('Done.'),
      ],
      { domains: [{ id: 'app', tools }], guards: [watch, denyTools('app.pay')] },
    );
    await f.session.send('Go');
    await f.session.send('Again');
    expect(seen).toEqual([
      'app.fetch after ',
      'app.write after ',
      'app.pay after mutating,networking',
      'app.break after mutating,networking',
      'app.write after destructive,mutating,networking',
      'app.write after ',
    ]);
  });
});
