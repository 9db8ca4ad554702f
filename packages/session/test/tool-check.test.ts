// The entry `@banister/session/check`: views check what a user edits by the check of the session itself.
import { createCompiledValidator } from '@banister/schema/compiled';
import { describe, expect, it, vi } from 'vitest';
import { callTools, forcedGuard, say, settle, spyTool } from '@banister/testing';
import type { JsonObject, SchemaValidator } from '@banister/session';
import { loadToolCheck } from '@banister/session/check';
import { z } from 'zod';
import { loadMatcher } from '../src/tools/pattern-matcher.js';
import { fixture } from './fixture.js';

const parameters = {
  type: 'object',
  properties: { title: { type: 'string', minLength: 2 } },
  required: ['title'],
  additionalProperties: false,
} as const;

describe('the check of a tool', () => {
  it('is the same check that a session applies to edited arguments, compiled once', async () => {
    const compiled = createCompiledValidator(loadMatcher);
    const validator: SchemaValidator = { compile: vi.fn((schema) => compiled.compile(schema)) };
    const tool = spyTool('work', { parameters, execute: () => 'done' });
    const f = fixture([callTools({ tool: 'board.work', args: { title: 'Draft' } }), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      ports: { validator },
    });
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    const { check, schema } = await loadToolCheck(tool, { validator });
    expect(schema).toEqual(parameters);
    const request = f.session.pendingConfirmation.value!;
    const unfit: readonly JsonObject[] = [{}, { title: 'D' }, { title: 'Draft', more: 1 }];
    for (const args of unfit) {
      const issues = await check(args);
      const errors = issues.map(({ path, message }) => `"${path.join('.')}" ${message}`);
      expect(await request.approve({ arguments: args })).toEqual({ errors });
    }
    expect(await check({ title: 'Final' })).toEqual([]);
    expect(await request.approve({ arguments: { title: 'Final' } })).toBe('accepted');
    await turn;
    expect(validator.compile).toHaveBeenCalledTimes(1);
  });

  it('includes the rules of a schema library, also those that answer with a promise', async () => {
    const late = z.object({
      title: z.string().refine((title) => Promise.resolve(title !== 'taken'), 'is taken'),
    });
    const { check } = await loadToolCheck({ name: 'work', parameters: late });
    expect(check({ title: 5 })).toEqual([{ path: ['title'], message: 'must be of type string' }]);
    expect(await check({ title: 'taken' })).toEqual([{ path: ['title'], message: 'is taken' }]);
    expect(await check({ title: 'free' })).toEqual([]);
  });

  it('names a tool whose parameters are not a schema, or cannot be compiled', async () => {
    await expect(loadToolCheck({ name: 'work', parameters: 'text' as never })).rejects.toThrow(
      'The tool "work"',
    );
    const wrong = { type: 'object', properties: { a: { type: 'strong' } } };
    await expect(loadToolCheck({ name: 'work', parameters: wrong })).rejects.toThrow('The schema of work');
  });
});
