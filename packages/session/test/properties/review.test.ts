// The rules of a review, for turns and decisions at random.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { callTools, checkOrder, say, settle } from '@banister/testing';
import type { LocalAgentSession, Operation, TurnRecord } from '@banister/session';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { sampleSize } from '../../../../test/kit/sample-size.js';
import { names } from '../fixture.js';
import { codeOf, createSession, opened, recordsOf } from '../opened.js';
import { call, createForm } from '../reviewed.js';

beforeAll(() => import('../../src/session/log-chunk.js'));

const fields = ['a', 'b', 'c'] as const;

/** One effect: the change of a field, by a tool that names its path, or by one that may have changed the whole form. */
interface Effect {
  readonly field: string;
  readonly value: string;
  readonly namesPath: boolean;
}

/** A decision of the user about some of the effects. */
interface Decision {
  readonly name: 'accept' | 'reject';
  readonly picks: readonly boolean[];
  /** The field that the user changes before. */
  readonly edit: string | null;
  /** Whether the page is reloaded before, and whether the turn is resumed then. */
  readonly reload: 'no' | 'and resumed' | 'and decided';
}

const often = <T>(usual: T, ...others: readonly T[]) => fc.constantFrom(usual, usual, usual, ...others);

const effectLists: fc.Arbitrary<readonly Effect[]> = fc
  .array(fc.record({ field: fc.constantFrom(...fields), namesPath: often(true, false) }), {
    minLength: 1,
    maxLength: 8,
    size: 'max',
  })
  .map((list) => list.map((one, index) => ({ ...one, value: `v${index}` })));

const decisions: fc.Arbitrary<readonly Decision[]> = fc.array(
  fc.record({
    name: fc.constantFrom('accept' as const, 'reject' as const, 'reject' as const),
    picks: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    edit: often(null, ...fields),
    reload: fc.constantFrom('no' as const, 'and resumed' as const, 'and decided' as const),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The review as the contract has it, by the numbers of the effects. */
class Model {
  readonly gone = new Set<number>();
  private readonly open: Set<number>;
  /** The last value that the user gave each field. */
  readonly edits = new Map<string, string>();

  constructor(private readonly effects: readonly Effect[]) {
    this.open = new Set(effects.keys());
  }

  get isOpen(): boolean {
    return this.open.size > 0;
  }

  /** Returns the numbers of the effects that are taken back now. */
  decide({ name, picks }: Decision): readonly number[] {
    const picked = [...this.open].filter((index) => picks[index]);
    if (name === 'accept') {
      for (const index of picked) this.open.delete(index);
      return [];
    }
    const plan = new Set(picked.flatMap((index) => [index, ...this.dependentsOf(index)]));
    const taken: number[] = [];
    for (const index of [...plan].filter((one) => !this.gone.has(one)).sort((a, b) => b - a)) {
      const { field } = this.effects[index]!;
      const isFree = this.dependentsOf(index).every((other) => this.gone.has(other));
      if (!isFree || this.edits.has(field)) continue;
      this.gone.add(index);
      this.open.delete(index);
      taken.push(index);
    }
    return taken;
  }

  private dependentsOf(index: number): readonly number[] {
    const one = this.effects[index]!;
    const direct = this.effects.flatMap((other, later) => {
      const touches = !one.namesPath || !other.namesPath || one.field === other.field;
      return later > index && touches ? [later] : [];
    });
    return [...new Set(direct.flatMap((later) => [later, ...this.dependentsOf(later)]))];
  }
}

const callsOf = (effects: readonly Effect[]) =>
  effects.map(({ field, value, namesPath }) => call(namesPath ? 'set' : 'setAll', field, value));

/** A form with a session, which can be reloaded. */
class Page {
  readonly form = createForm({ a: 'old' });
  readonly operations: Operation[] = [];
  private current: LocalAgentSession;

  constructor(effects: readonly Effect[], review: boolean) {
    this.current = this.create(
      effects.length === 0 ? [say('Done.')] : [callTools(...callsOf(effects)), say('Done.')],
    );
    void codeOf(this.current.send('Go', review ? { commit: 'review' } : {}));
  }

  get session(): LocalAgentSession {
    return this.current;
  }

  get turn(): TurnRecord {
    return this.current.turns.value[0]!;
  }

  async reload(resumes: boolean): Promise<void> {
    const log = this.operations.slice();
    await this.current.dispose({ turn: 'leave' });
    this.operations.splice(log.length);
    this.current = this.create([], recordsOf([log]));
    await opened(this.current);
    expect(this.current.interrupted.value?.at).toBe('review');
    if (!resumes) return;
    void codeOf(this.current.resume());
    await settle();
  }

  private create(answers: Parameters<typeof createSession>[0], records?: ReturnType<typeof recordsOf>) {
    const { session } = createSession(answers, {
      domains: [this.form.domain()],
      limits: { maxToolCalls: 20 },
      ...(records === undefined ? {} : { restored: { snapshot: null, records } }),
    });
    session.operations$.subscribe((operation) => this.operations.push(operation));
    return session;
  }
}

/** Returns the effects of a run, its fields, and the outcomes of an undo and a redo. */
async function outcomeOf(page: Page) {
  const effects = names(page.turn.effects);
  const fields = { ...page.form.fields };
  const moves = [];
  for (const command of ['undo', 'redo'] as const)
    moves.push({ code: await codeOf(page.session[command]()), fields: { ...page.form.fields } });
  return { effects, fields, moves };
}

/** Runs effects without a review, and makes the edits of the user then. */
async function directRun(effects: readonly Effect[], edits: ReadonlyMap<string, string>) {
  const page = new Page(effects, false);
  await settle();
  for (const [field, value] of edits) page.form.fields[field] = value;
  return outcomeOf(page);
}

async function keepsItsPromises(
  effects: readonly Effect[],
  all: readonly Decision[],
  run: typeof directRun = directRun,
): Promise<void> {
  const page = new Page(effects, true);
  await settle();
  const model = new Model(effects);
  const ids = page.session.pendingReview.value!.effects.map(({ toolCallId }) => toolCallId);
  expect(ids).toHaveLength(effects.length);
  const last: Decision = { name: 'accept', picks: Array(8).fill(true), edit: null, reload: 'no' };
  for (const [number, decision] of [...all, last].entries()) {
    if (!model.isOpen) break;
    if (decision.edit !== null) {
      page.form.fields[decision.edit] = `mine${number}`;
      model.edits.set(decision.edit, `mine${number}`);
    }
    if (decision.reload !== 'no') await page.reload(decision.reload === 'and resumed');
    const report = await page.session[decision.name](ids.filter((_id, index) => decision.picks[index]));
    const taken = model.decide(decision);
    expect(report.done.map(({ toolCallId }) => ids.indexOf(toolCallId))).toEqual(taken);
    // Of those that were rejected, one that is open still says why.
    const { pendingReview } = page.session;
    for (const { toolCallId, conflict } of pendingReview.value?.effects ?? [])
      if (decision.name === 'reject' && decision.picks[ids.indexOf(toolCallId)])
        expect(conflict).toBeDefined();
  }
  await settle();

  const stays = effects.filter((_effect, index) => !model.gone.has(index));
  expect(page.turn.status).toBe('completed');
  expect(checkOrder(page.operations)).toEqual([]);
  expect(await outcomeOf(page)).toEqual(await run(stays, model.edits));
  expect(checkOrder(page.operations)).toEqual([]);
}

test('for every subset of up to 8 effects, with user edits and reloads, the result equals a run without the rejected effects and their dependents', async () => {
  const property = fc.asyncProperty(effectLists, decisions, (effects, all) => keepsItsPromises(effects, all));
  await fc.assert(property, propertyRun('review', 1_000));
});

/** Every subset of the first effects, as bits; the quick tier takes some of each number of effects. */
const subsetsOf = (size: number): readonly number[] => {
  const count = 2 ** size;
  const taken = sampleSize(count);
  return Array.from({ length: taken }, (_, place) => Math.floor((place * count) / taken));
};

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'every subset of %i effects is rejected, and the rest accepted, after a reload before each decision and an edit of the user',
  async (size) => {
    const runs = new Map<string, ReturnType<typeof directRun>>();
    const runOnce: typeof directRun = (effects, edits) => {
      const key = JSON.stringify([effects, ...edits]);
      const run = runs.get(key) ?? directRun(effects, edits);
      runs.set(key, run);
      return run;
    };
    for (const subset of subsetsOf(size)) {
      const effects = Array.from({ length: size }, (_, index) => ({
        field: fields[index % fields.length]!,
        value: `v${index}`,
        // In every second run one effect touches the whole form.
        namesPath: subset % 2 === 0 || index !== 4,
      }));
      const reload = subset % 4 < 2 ? 'and decided' : 'and resumed';
      const picks = Array.from({ length: 8 }, (_, index) => (subset & (1 << index)) !== 0);
      // The field "a" is that of the first effect, and "d" that of none.
      const edit = [null, 'd', 'a'][subset % 3]!;
      await keepsItsPromises(
        effects,
        [
          { name: 'reject', picks, edit, reload },
          { name: 'accept', picks: Array<boolean>(8).fill(true), edit: null, reload },
        ],
        runOnce,
      );
    }
  },
);
