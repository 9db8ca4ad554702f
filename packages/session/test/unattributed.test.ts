// Changes that a tool cannot attribute, and effects whose code leaves the user's edits as they are.
import { describe, expect, it } from 'vitest';
import { callTools, gatedTool, say, settle, spyTool } from '@banister/testing';
import { createAgentSession, type Domain, type ToolContext } from '@banister/session';
import { callsOf } from '../src/conversation/turn-record.js';
import { fixture, names, rejection } from './fixture.js';

describe('changes that a tool cannot attribute', () => {
  const work = (execute: (context: ToolContext) => unknown): Domain => ({
    id: 'board',
    tools: [spyTool('work', { execute: (_args, context) => execute(context) })],
  });

  it('are in the record of its call, but in no report', async () => {
    const domain = work((context) => {
      context.unattributed(['cards/1/title']);
      context.unattributed([]);
      context.unattributed(['cards/2', 'cards/3']);
      context.undo({ description: 'Worked', revert: () => {} });
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: [domain] });
    await f.session.send('Go');
    const [call] = callsOf(f.session.turns.value[0]?.rounds[0]);
    expect(call?.unattributed).toEqual(['cards/1/title', 'cards/2', 'cards/3']);
    expect(f.observed.types.filter((type) => type === 'changesUnattributed')).toHaveLength(2);
    const report = await f.session.undo();
    expect([names(report.done), report.failed, report.irreversible]).toEqual([['Worked'], [], []]);
  });

  it('are saved with the conversation', async () => {
    const domain = work((context) => context.unattributed(['cards/1']));
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: [domain] });
    await f.session.send('Go');
    const saved = JSON.stringify(f.session.save());
    const conversation = JSON.parse(saved);
    await using opened = createAgentSession({ provider: f.provider, domains: [domain], conversation });
    expect(callsOf(opened.turns.value[0]?.rounds[0])[0]?.unattributed).toEqual(['cards/1']);
    const damaged = JSON.parse(saved.replace('"unattributed":["cards/1"]', '"unattributed":[1]'));
    expect(() => createAgentSession({ provider: f.provider, conversation: damaged })).toThrow(/unattributed/);
  });

  it('are dropped after the call has ended', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('Done.')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    await settle();
    slow.runs[0]!.settle('Done.');
    await turn;
    slow.runs[0]!.context.unattributed(['cards/1']);
    expect(f.observed.types).not.toContain('changesUnattributed');
  });

  it('`context.change` calls its function in any tool', async () => {
    const seen: unknown[] = [];
    const domain = work((context) => void seen.push(context.change(() => 7)));
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: [domain] });
    await f.session.send('Go');
    expect(seen).toEqual([7]);
  });
});

describe('an effect whose code keeps the edits of the user', () => {
  /** A domain with a counter as its revision, which the tool and the user increase. */
  function counter(withClosure = false) {
    let version = 0;
    const edit = spyTool('edit', {
      undo: { revert: () => void version++, reapply: () => void version++, keepsEdits: true },
      execute: (_args, context) => {
        version++;
        void context.undo({ description: 'Edited', data: 1 });
        if (withClosure) context.undo({ description: 'Closed', revert: () => {} });
      },
    });
    const domain: Domain = { id: 'doc', tools: [edit], revision: () => version };
    return { domain, user: () => void version++ };
  }
  const answers = [callTools({ tool: 'doc.edit' }), say('Done.')];

  it('can be undone no matter what the revision is', async () => {
    const doc = counter();
    await using f = fixture(answers, { domains: [doc.domain] });
    await f.session.send('Go');
    doc.user();
    expect(names((await f.session.undo()).done)).toEqual(['Edited']);
    doc.user();
    expect(names((await f.session.redo()).done)).toEqual(['Edited']);
  });

  it('causes a conflict if another effect of the turn has a closure', async () => {
    const doc = counter(true);
    await using f = fixture(answers, { domains: [doc.domain] });
    await f.session.send('Go');
    doc.user();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });
});
