// The option `domains` of `configure`, version and summary.
import { describe, expect, it } from 'vitest';
import { callTools, gate, say, settle, spyTool, stall, type ScriptedProvider } from '@banister/testing';
import { confirmTools, type Domain, type SavedConversation } from '@banister/session';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';
import { left, open } from './left-turn.js';

const call = (tool: string, args = {}) => ({ tool, args });
const offered = ({ requests }: ScriptedProvider) =>
  requests.map(({ tools }) => tools.map(({ name }) => name));
const mail: Domain = { id: 'mail', tools: [spyTool('send')] };

describe('configure({ domains })', () => {
  it('takes effect with the next turn; a running turn keeps the tools with which it began', async () => {
    const more = gate();
    const board = dataBoard();
    await using f = fixture(
      [callTools('x', more, addCard('A')), say('One.'), callTools(call('mail.send')), say('Two.')],
      { domains: [board.domain()] },
    );
    const turn = f.session.send('Go');
    await more.reached;
    f.session.configure({ domains: [mail] });
    more.open();
    await turn;
    expect(board.cards).toEqual(['A']);
    await f.session.send('Again');
    const old = ['board.add'];
    expect(offered(f.provider)).toEqual([old, old, ['mail.send'], ['mail.send']]);
    expect(resultTexts(f.provider.requests.at(-1)!).at(-1)).not.toContain('no tool');
  });

  it('a list of domains that is wrong is refused, and changes nothing', async () => {
    await using f = fixture([say('Hi.')], { domains: [mail], role: 'first' });
    expect(() => f.session.configure({ domains: [mail, mail], role: 'second' })).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
    await f.session.send('Go');
    expect(offered(f.provider)).toEqual([['mail.send']]);
    expect(f.provider.requests[0]?.system).toBe('first');
  });

  it('a guard may still name a removed tool, but not a tool that never existed', async () => {
    await using f = fixture([], { domains: [mail], guards: [confirmTools('mail.send')] });
    f.session.configure({ domains: [] });
    f.session.configure({ guards: [confirmTools('mail.send')] });
    expect(() => f.session.configure({ guards: [confirmTools('mail.sned')] })).toThrow('mail.sned');
  });

  it('an empty list removes all tools, and no tool can be chosen then', async () => {
    await using f = fixture([], {
      domains: [mail],
      scripted: { toolChoices: ['required'] },
    });
    f.session.configure({ domains: [] });
    expect(await rejection(f.session.send('Go', { toolChoice: 'required' }))).toMatchObject({
      code: 'invalid-configuration',
    });
  });

  it('a tool that is replaced under its name has its own schema and executor', async () => {
    const strict = spyTool('send', {
      parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    });
    await using f = fixture(
      [callTools(call('mail.send')), say('One.'), callTools(call('mail.send')), say('Two.')],
      { domains: [mail] },
    );
    await f.session.send('Go');
    f.session.configure({ domains: [{ id: 'mail', tools: [strict] }] });
    await f.session.send('Again');
    expect(strict.runs).toHaveLength(0);
    expect(resultTexts(f.provider.requests.at(-1)!).at(-1)).toContain('"to" is required');
  });
});

describe('a call to a tool that was removed', () => {
  it('a call to a removed tool answers that it is no longer available', async () => {
    await using f = fixture([callTools(call('mail.send'), call('mail.sned')), say('Done.')], {
      domains: [mail],
    });
    f.session.configure({ domains: [dataBoard().domain()] });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The tool "mail.send" is no longer available. Tools: board.add.',
      'There is no tool "mail.sned". Tools: board.add.',
    ]);
  });

  it('also in a later session, if the conversation has a call of it', async () => {
    await using first = fixture([callTools(call('mail.send'), call('mail.sned')), say('Done.')], {
      domains: [mail],
    });
    await first.session.send('Go');
    await using f = fixture(
      [callTools(call('mail.send', { n: 2 }), call('mail.sned', { n: 2 })), say('Done.')],
      {
        conversation: JSON.parse(JSON.stringify(first.session.save())) as SavedConversation,
      },
    );
    await f.session.send('Again');
    expect(resultTexts(f.provider.requests[1]!).slice(-2)).toEqual([
      'The tool "mail.send" is no longer available. There are no tools.',
      'There is no tool "mail.sned". There are no tools.',
    ]);
  });

  it('the call of a missing tool is unknown when its turn is resumed', async () => {
    const board = dataBoard();
    const never = spyTool('never', { execute: () => new Promise(() => {}) });
    const run = await left([callTools(call('board.never'))], {
      domains: [{ id: 'board', tools: [never], revision: () => board.cards.length }],
    });
    const next = await open(run, [say('Done.')], { domains: [mail] });
    const result = await next.session.resume();
    expect(result).toMatchObject({ status: 'completed' });
    expect(never.runs).toHaveLength(1);
    expect(next.operations.find(({ type }) => type === 'toolInterrupted')).toMatchObject({
      decision: 'unknown',
    });
    await next.session.dispose();
  });
});

describe('effects of a tool that was removed', () => {
  it('can be undone and redone while the page lives', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    f.session.configure({ domains: [] });
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual([]);
    await f.session.redo();
    expect(board.cards).toEqual(['A']);
  });

  it('can be undone after a reload, if the tool existed when the conversation was opened', async () => {
    const board = dataBoard();
    await using first = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await first.session.send('Go');
    const conversation = JSON.parse(JSON.stringify(first.session.save())) as SavedConversation;
    await using f = fixture([], { domains: [board.domain()], conversation });
    f.session.configure({ domains: [mail] });
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual([]);
  });

  it('are lost after a reload without the tool', async () => {
    const board = dataBoard();
    await using first = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await first.session.send('Go');
    first.session.configure({ domains: [] });
    const conversation = JSON.parse(JSON.stringify(first.session.save())) as SavedConversation;
    await using f = fixture([], { domains: [mail], conversation });
    expect(f.session.undoEntries.value).toMatchObject([{ lost: true }]);
  });

  it('an edit of the user in a removed domain is a conflict', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    f.session.configure({ domains: [] });
    board.cards.push('Mine');
    expect(await rejection(f.session.undo())).toMatchObject({ code: 'conflict' });
  });

  it('a removed domain whose revision throws does not stop an undo', async () => {
    const board = dataBoard();
    let isGone = false;
    const domain: Domain = {
      ...board.domain(),
      revision: () => {
        if (isGone) throw new Error('The board is gone.');
        return board.cards.join();
      },
    };
    await using f = fixture([callTools(addCard('A')), say('Done.'), say('Hi.')], { domains: [domain] });
    await f.session.send('Go');
    f.session.configure({ domains: [] });
    isGone = true;
    await f.session.send('Again');
    await f.session.undo({ force: true });
    expect(f.reported).toEqual([]);
  });
});

describe('version and summary of a domain', () => {
  const board = (): Domain => ({ ...dataBoard().domain(), version: '2.1', summary: 'Cards in columns.' });

  it('C26 AK-D1 AK-D2 are in the system prompt after the role and before the context', async () => {
    await using f = fixture([say('Hi.')], {
      domains: [
        board(),
        mail,
        { id: 'notes', tools: [], summary: 'Notes.' },
        { id: 'files', tools: [], version: '3' },
      ],
      role: 'You help.',
      context: [{ id: 'now', policy: 'always', summary: () => 'Noon.' }],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe(
      [
        'You help.',
        'Domain board, version 2.1: Cards in columns.\nDomain notes: Notes.\nDomain files, version 3',
        '[now]: Noon.',
      ].join('\n\n'),
    );
  });

  it('audit-S9 the model is not told the capabilities of a tool', async () => {
    const tool = spyTool('pay', { capabilities: ['paid', 'destructive'] });
    await using f = fixture([say('Hi.')], { domains: [{ id: 'shop', summary: 'A shop.', tools: [tool] }] });
    await f.session.send('Go');
    const { system, tools } = f.provider.requests[0]!;
    expect(tools).toHaveLength(1);
    expect(system + JSON.stringify(tools)).not.toMatch(/paid|destructive|capabilit/);
  });

  it('version and summary are in the log, with each turn', async () => {
    await using f = fixture([say('Hi.'), say('Hi.'), say('Hi.')], { domains: [board(), mail] });
    await f.session.send('One');
    f.session.configure({ domains: [{ ...board(), version: '2.2' }] });
    await f.session.send('Two');
    f.session.configure({ domains: [mail] });
    await f.session.send('Three');
    const started = f.observed.operations.flatMap((one) => (one.type === 'turnStarted' ? [one.domains] : []));
    const summary = 'Cards in columns.';
    expect(started).toEqual([
      [{ id: 'board', version: '2.1', summary }],
      [{ id: 'board', version: '2.2', summary }],
      undefined,
    ]);
  });

  it('a resumed turn has the version and summary of the session that resumes it', async () => {
    const run = await left([callTools(addCard('A')), stall('Half')]);
    const { session, operations } = await open(run, [say('Done.')], { domains: [board()] });
    await session.resume();
    await settle();
    expect(operations.find(({ type }) => type === 'turnResumed')).toMatchObject({
      domains: [{ id: 'board', version: '2.1', summary: 'Cards in columns.' }],
    });
    await session.dispose();
  });

  it('a version or a summary that is not a string is refused', async () => {
    await using f = fixture([]);
    const domains = [{ id: 'mail', tools: [], version: 2 }] as never;
    expect(() => f.session.configure({ domains })).toThrow('version');
  });
});
