// Arguments that the user edits before the call runs.
import { describe, expect, it, vi } from 'vitest';
import { callTools, forcedGuard, say, settle, spyTool } from '@banister/testing';
import { defineGuard, denyTools, type Guard } from '@banister/session';
import { z } from 'zod';
import { fixture, resultTexts } from './fixture.js';

const parameters = {
  type: 'object',
  properties: { title: { type: 'string', minLength: 1 }, count: { type: 'integer' } },
  required: ['title'],
  additionalProperties: false,
} as const;

function editing(guards: readonly Guard[] = [forcedGuard('ask', { confirm: 'Sure?' })]) {
  const tool = spyTool('work', { parameters, execute: ({ title }) => `did ${String(title)}` });
  const f = fixture([callTools({ tool: 'board.work', args: { title: 'Draft', count: 1 } }), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
    guards,
  });
  return { f, tool };
}

describe('audit-R11 edited arguments', () => {
  it('with a null for an optional parameter run without it', async () => {
    const { f, tool } = editing();
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    const request = f.session.pendingConfirmation.value!;
    expect(await request.approve({ arguments: { title: null } as never })).toMatchObject({
      errors: [expect.any(String)],
    });
    expect(await request.approve({ arguments: { title: 'B', count: null } })).toBe('accepted');
    await turn;
    expect(tool.runs.map(({ args }) => args)).toEqual([{ title: 'B' }]);
  });
});

describe('invalid edited arguments', () => {
  it.each([
    ['a missing parameter', {}, '"title" is required'],
    ['a wrong type', { title: 3 }, '"title" must be of type string'],
    ['an unknown parameter', { title: 'A', colour: 'red' }, '"colour" is not a known parameter'],
  ])('%s: returns its errors, and the request stays open', async (_name, args, error) => {
    const { f, tool } = editing();
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    const request = f.session.pendingConfirmation.value!;
    expect(await request.approve({ arguments: args })).toEqual({ errors: [error] });
    expect(f.session.pendingConfirmation.value).toBe(request);
    expect(f.observed.types).not.toContain('confirmationResolved');
    expect(await request.approve({ arguments: { title: 'Final' } })).toBe('accepted');
    await turn;
    expect(tool.runs.map((run) => run.args)).toEqual([{ title: 'Final' }]);
  });

  it.each([
    ['null', null],
    ['a list', [1]],
    ['a number', 5],
    ['a text', 'x'],
    ['a map', new Map()],
  ])(
    '%s instead of an object: returns an error, and the call does not run as the model wrote it',
    async (_name, args) => {
      const { f, tool } = editing();
      await using _ = f;
      const turn = f.session.send('Go');
      await settle();
      const request = f.session.pendingConfirmation.value!;
      const errors = ['The arguments cannot be used: they are no JSON object.'];
      expect(await request.approve({ arguments: args as never })).toEqual({ errors });
      expect(f.session.pendingConfirmation.value).toBe(request);
      expect(await request.deny()).toBe('accepted');
      await turn;
      expect(tool.runs).toEqual([]);
    },
  );

  it('T13 a pattern on which an engine hangs refuses an edit at once', async () => {
    const tool = spyTool('work', {
      parameters: { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } },
    });
    await using f = fixture([callTools({ tool: 'board.work', args: { x: 'a' } }), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    // The matcher of patterns is loaded before the question opens.
    await vi.waitFor(() => expect(f.session.pendingConfirmation.value).not.toBeNull(), 30_000);
    const request = f.session.pendingConfirmation.value!;
    expect(await request.approve({ arguments: { x: `${'a'.repeat(1000)}!` } })).toEqual({
      errors: ['"x" must match ^(a+)+$'],
    });
    expect(await request.approve({ arguments: { x: 'aa' } })).toBe('accepted');
    await turn;
    expect(tool.runs.map((run) => run.args)).toEqual([{ x: 'aa' }]);
  });

  it.each([
    ['T12 __proto__', () => JSON.parse('{"title":"A","__proto__":{"polluted":true}}'), /__proto__/],
    ['T12 __proto__ further down', () => JSON.parse('{"a":[{"__proto__":{"polluted":true}}]}'), /__proto__/],
    ['a function', () => ({ title: () => {} }), /title/],
    ['a cycle', () => cyclic(), /self/],
  ])(
    '%s, which no JSON can hold or no tool should get, is refused the same way',
    async (_name, make, error) => {
      const tool = spyTool('work');
      await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
        domains: [{ id: 'board', tools: [tool] }],
        guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      });
      const turn = f.session.send('Go');
      await settle();
      const request = f.session.pendingConfirmation.value!;
      expect(await request.approve({ arguments: make() as never })).toEqual({
        errors: [expect.stringMatching(error)],
      });
      expect(f.session.pendingConfirmation.value).toBe(request);
      void request.deny();
      await turn;
      expect(tool.runs).toEqual([]);
    },
  );
});

function cyclic(): object {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  return cycle;
}

describe('valid edited arguments', () => {
  it('edited arguments run, and the call stays as the model wrote it', async () => {
    const { f, tool } = editing();
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    expect(
      await f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Final', count: 1 } }),
    ).toBe('accepted');
    await turn;
    expect(tool.runs.map((run) => run.args)).toEqual([{ title: 'Final', count: 1 }]);
    const started = f.observed.operations.find((op) => op.type === 'toolStarted');
    expect(started).toMatchObject({ edited: true, arguments: { title: 'Final', count: 1 } });
    const view = f.session.turns.value[0]?.rounds[0]?.parts[0];
    expect(view).toMatchObject({
      arguments: { title: 'Draft', count: 1 },
      argumentsText: '{"title":"Draft","count":1}',
      ranWith: { title: 'Final', count: 1 },
    });
    const part = f.session.conversation.value.messages[1]?.parts[0];
    expect(part).toMatchObject({
      arguments: { title: 'Draft', count: 1 },
      ranWith: { title: 'Final', count: 1 },
    });
    const resolved = f.observed.operations.find((op) => op.type === 'confirmationResolved');
    expect(resolved).toMatchObject({ decision: 'edited', arguments: { title: 'Final', count: 1 } });
  });

  it('the result begins with a line that names the changes, and nothing else', async () => {
    const { f } = editing();
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Final' } });
    await turn;
    const [text] = resultTexts(f.provider.requests[1]!);
    expect(text).toMatch(/^The user changed.*title from "Draft" to "Final".*count from 1 to nothing/);
    expect(text).toContain('did Final');
    const [part] = f.session.conversation.value.messages[2]?.parts ?? [];
    expect(part).toMatchObject({ content: [{ type: 'text' }, { type: 'text', text: 'did Final' }] });
  });

  it('C3 the arguments that the user saw run: neither side can change them afterwards', async () => {
    const { f, tool } = editing();
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    const request = f.session.pendingConfirmation.value!;
    expect(() => Object.assign(request.call.arguments, { title: 'Hacked' })).toThrow(TypeError);
    const mine = { title: 'Final' };
    void request.approve({ arguments: mine });
    mine.title = 'Hacked';
    await turn;
    expect(tool.runs.map((run) => run.args.title)).toEqual(['Final']);
    expect(Object.isFrozen(tool.runs[0]?.args)).toBe(true);
    expect(JSON.stringify(f.observed.operations)).not.toContain('Hacked');
  });

  it('pass the guards once more: a deny counts', async () => {
    const guard = defineGuard('no-secrets', (call) =>
      call.arguments.title === 'Secret' ? { deny: 'No secrets.' } : { confirm: 'Sure?' },
    );
    const { f, tool } = editing([guard]);
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Secret' } });
    expect((await turn).status).toBe('completed');
    expect(tool.runs).toEqual([]);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([expect.stringContaining('No secrets.')]);
  });

  it('pass the guards once more: a confirm does not ask again', async () => {
    const guard = forcedGuard('ask', { confirm: 'Sure?' });
    const { f, tool } = editing([guard]);
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Final' } });
    await turn;
    expect(tool.runs).toHaveLength(1);
    expect(guard.calls.map((call) => call.arguments.title)).toEqual(['Draft', 'Final']);
    expect(f.observed.types.filter((type) => type === 'confirmationRequested')).toHaveLength(1);
  });

  it('an approval without an edit is not shown to the guards again', async () => {
    const guard = forcedGuard('ask', { confirm: 'Sure?' });
    const { f } = editing([guard, denyTools()]);
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve();
    await turn;
    expect(guard.calls).toHaveLength(1);
  });

  it('of another call of the batch are not shown to the guards again', async () => {
    const guard = forcedGuard('ask', (call) =>
      call.arguments.title === 'A' ? { confirm: 'Sure?' } : 'allow',
    );
    const tool = spyTool('work', { parameters });
    await using f = fixture(
      [
        callTools({ tool: 'board.work', args: { title: 'A' } }, { tool: 'board.work', args: { title: 'B' } }),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [tool] }], guards: [guard] },
    );
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'C' } });
    await turn;
    expect(guard.calls.map((call) => call.arguments.title)).toEqual(['A', 'B', 'C']);
    expect(tool.runs.map((run) => run.args.title)).toEqual(['C', 'B']);
  });

  it('are transformed by the schema library like any others', async () => {
    const execute = vi.fn();
    await using f = fixture([callTools({ tool: 'board.trim', args: { title: 'x' } }), say('Done.')], {
      domains: [
        {
          id: 'board',
          tools: [
            {
              name: 'trim',
              description: 'Trims.',
              parameters: z.object({ title: z.string().trim().min(1) }),
              execute,
            },
          ],
        },
      ],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: '  Final  ' } });
    await turn;
    expect(execute.mock.calls[0]?.[0]).toEqual({ title: 'Final' });
  });

  it('that only the schema library refuses do not run, and the model reads the reason', async () => {
    const execute = vi.fn();
    await using f = fixture([callTools({ tool: 'board.even', args: { n: 2 } }), say('Done.')], {
      domains: [
        {
          id: 'board',
          tools: [
            {
              name: 'even',
              description: 'Even numbers.',
              parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }),
              execute,
            },
          ],
        },
      ],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    await settle();
    const answer = await f.session.pendingConfirmation.value?.approve({ arguments: { n: 3 } });
    if (answer !== 'accepted') {
      expect(answer).toEqual({ errors: [expect.stringContaining('must be even')] });
      void f.session.pendingConfirmation.value?.deny();
    }
    await turn;
    expect(execute).not.toHaveBeenCalled();
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(
      /^The user changed the arguments, and the call was refused with them: n from 2 to 3\. .*must be even/,
    );
  });
});
