import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { isAgentSessionError, type SavedConversation } from '@banister/session';
import { callTools, say } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { fixture, type Fixture } from '../fixture.js';
import { TargetedApp, type Write } from './targeted-app.js';
import { TargetedModel, type Expected } from './targeted-model.js';

type Step =
  | {
      readonly kind: 'send';
      readonly writes: readonly Write[];
      /** The turn beside which it starts. */ readonly beside: number | null;
    }
  | { readonly kind: 'switch'; readonly turn: number }
  | { readonly kind: 'edit'; readonly domain: Write['domain'] }
  | { readonly kind: 'reload' }
  | {
      readonly kind: 'undo' | 'redo';
      /** The turn; null for the one that the command takes itself. */
      readonly turn: number | null;
      readonly force: boolean;
    };

const write = fc.record({
  domain: fc.constantFrom<Write['domain']>('doc', 'doc', 'doc', 'log'),
  path: fc.constantFrom('a', 'a/x', 'a/y', 'b', 'b/x', 'c', 'd'),
  value: fc.string({ minLength: 1, maxLength: 3 }),
});
const place = fc.nat(99);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        writes: fc.array(write, { maxLength: 3 }),
        beside: fc.option(place, { freq: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('switch' as const), turn: place }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        domain: fc.constantFrom<Write['domain']>('doc', 'log'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'reload' as const }) },
    {
      weight: 14,
      arbitrary: fc.record({
        kind: fc.constantFrom('undo' as const, 'undo' as const, 'redo' as const),
        turn: fc.option(place, { freq: 4 }),
        force: fc.boolean(),
      }),
    },
  ),
  { minLength: 6, maxLength: 30, size: 'max' },
);

/** The rarest answer: a redo of a turn behind one that was undone as well, and changed the same. */
const redoInTheWay: readonly Step[] = [
  ...['first', 'second'].map((value): Step => ({
    kind: 'send',
    writes: [{ domain: 'doc', path: 'a', value }],
    beside: null,
  })),
  { kind: 'undo', turn: null, force: false },
  { kind: 'undo', turn: null, force: false },
  { kind: 'redo', turn: 1, force: false },
];

/** A life of an app, its sessions and the model beside them. */
class Life {
  private readonly app = new TargetedApp();
  private readonly model = new TargetedModel();
  private fixture: Fixture;
  private writes: readonly Write[] = [];
  private edits = 0;
  /** How often each answer was given. */
  readonly answers: Record<string, number> = {};

  constructor() {
    this.fixture = this.open();
  }

  private open(conversation?: SavedConversation): Fixture {
    return fixture([], {
      domains: this.app.domains,
      ...(conversation === undefined ? {} : { conversation }),
      scripted: {
        otherwise: (request) => {
          const isAnswered = request.messages.at(-1)!.parts.some(({ type }) => type === 'tool-result');
          if (isAnswered || this.writes.length === 0) return say('Done.');
          return callTools(
            ...this.writes.map(({ domain, path, value }) => ({
              tool: `${domain}.put`,
              args: { path, value },
            })),
          );
        },
      },
    });
  }

  async run(step: Step): Promise<void> {
    const { session } = this.fixture;
    switch (step.kind) {
      case 'send': {
        this.writes = step.writes;
        const beside = step.beside === null ? undefined : this.turnAt(step.beside);
        if (beside === undefined) await session.send('Go');
        else await session.edit(beside, 'Go', { effects: 'keep' });
        this.model.send(session.turns.value.at(-1)!.id, step.writes);
        break;
      }
      case 'switch': {
        const turnId = this.turnAt(step.turn);
        if (turnId !== undefined) await session.switchTo(turnId);
        break;
      }
      case 'edit': {
        const value = `edit ${++this.edits}`;
        this.app.edit(step.domain, value);
        if (step.domain === 'log') session.touch('log');
        this.model.edit(step.domain, value);
        break;
      }
      case 'reload': {
        const saved = JSON.parse(JSON.stringify(session.save())) as SavedConversation;
        await this.end();
        this.fixture = this.open(saved);
        break;
      }
      default:
        await this.command(step);
    }
    this.check();
  }

  private async command({ kind, turn, force }: Extract<Step, { kind: 'undo' | 'redo' }>): Promise<void> {
    const turnId = turn === null ? undefined : this.turnAt(turn);
    const expected = this.model.expected(kind, turnId, force);
    const { state } = this.fixture.session;
    const answer = await this.fixture.session[kind]({
      force,
      ...(turnId === undefined ? {} : { turnId }),
    }).then(
      () => null,
      (error: unknown) => error,
    );
    if (answer === null) expect(expected.code).toBeNull();
    else {
      if (!isAgentSessionError(answer)) throw answer;
      expect({ code: answer.code, inTheWay: answer.details?.['inTheWay'] }).toEqual({
        code: expected.code,
        inTheWay: wayOf(expected),
      });
      expect(this.fixture.session.state).toBe(state);
    }
    if (expected.code === null) this.model.move(kind, expected.turnId);
    const name = `${kind} ${expected.code ?? 'done'}${wayOf(expected) ? ' in the way' : ''}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
  }

  /** The app is as if the turns that are undone had never been, and the state names the turns in the way. */
  private check(): void {
    const { session } = this.fixture;
    expect(this.app.parts).toEqual(this.model.parts);
    for (const { turnId, state, redoable, inTheWay = [] } of session.undoEntries.value) {
      expect(state).toBe(this.model.find(turnId)!.inForce ? 'done' : 'undone');
      if (state === 'undone') expect(redoable).toBe(this.model.find(turnId)!.redoable);
      const all = this.model.inTheWay(this.model.find(turnId)!);
      expect(all).toEqual(expect.arrayContaining([...inTheWay]));
      expect(inTheWay.length > 0).toBe(all.length > 0);
    }
    expect(session.canUndo.value).toBe(
      this.model.expected('undo', undefined, true).code !== 'nothing-to-undo',
    );
    expect(session.canRedo.value).toBe(
      this.model.expected('redo', undefined, true).code !== 'nothing-to-undo',
    );
  }

  private turnAt(place: number): string | undefined {
    const { turnIds } = this.model;
    return turnIds[place % Math.max(turnIds.length, 1)];
  }

  async end(): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}

function wayOf(expected: Expected): readonly string[] | undefined {
  return expected.code === 'conflict' ? expected.inTheWay : undefined;
}

const seen: Record<string, number> = {};
afterEach(() => {
  for (const name of Object.keys(seen)) delete seen[name];
});

async function live(given: readonly Step[]): Promise<void> {
  const life = new Life();
  try {
    for (const step of given) await life.run(step);
  } finally {
    await life.end();
  }
  for (const [name, times] of Object.entries(life.answers)) seen[name] = (seen[name] ?? 0) + times;
}

test(
  'after undo and redo of any turns, the app is as if the undone turns had never run, and conflicts name the turns in the way',
  { timeout: 3_600_000 },
  async () => {
    await live(redoInTheWay);
    await fc.assert(fc.asyncProperty(steps, live), propertyRun('targeted undo', 1_000));
    // Each answer has been given. A redo meets no edit of the user: the domain has reported it.
    expect(Object.keys(seen).sort()).toEqual([
      'redo conflict in the way',
      'redo done',
      'redo nothing-to-undo',
      'undo conflict',
      'undo conflict in the way',
      'undo done',
      'undo nothing-to-undo',
    ]);
  },
);
