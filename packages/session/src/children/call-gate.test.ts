import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { mayRunTogether, type Company } from '../turn/company.js';
import { CallGate, type GatedCall, type GatedPart } from './call-gate.js';

const writes: Company = { reads: false, parallel: false, resources: null };
const reads: Company = { reads: true, parallel: false, resources: null };
const parallel: Company = { reads: false, parallel: true, resources: null };
const on = (...names: string[]): Company => ({ reads: false, parallel: false, resources: new Set(names) });

type Where = Partial<GatedPart & Pick<GatedCall, 'within'>>;

/** A gate whose entries are noted in order. */
function watched() {
  const gate = new CallGate();
  const inside: string[] = [];
  const enter = (id: string, company: Company, { domain = 'board', within = [] }: Where = {}): void => {
    if (gate.enter({ id, parts: [{ domain, company }], within }, () => inside.push(id))) inside.push(id);
  };
  return { gate, inside, enter };
}

describe('the gate of the agents of a turn', () => {
  it('agents C22 a call waits for a call of its domain that may not run beside it', () => {
    const { gate, inside, enter } = watched();
    enter('a', writes);
    enter('b', writes);
    enter('c', writes, { domain: 'mail' });
    expect(inside).toEqual(['a', 'c']);
    gate.leave('a');
    expect(inside).toEqual(['a', 'c', 'b']);
  });

  it.each([
    ['both only read', reads, reads, true],
    ['one of them reads', reads, writes, false],
    ['they name different resources', on('1'), on('2', '3'), true],
    ['they share a resource', on('1', '2'), on('2'), false],
    ['both are parallel', parallel, parallel, true],
    ['one of them is parallel and the other names resources', parallel, on('1'), true],
    ['one of them is parallel and the other runs alone', parallel, writes, false],
  ])('agents C22 two calls of a domain, if %s', (_, first, second, together) => {
    const { inside, enter } = watched();
    enter('a', first);
    enter('b', second);
    expect(inside).toEqual(together ? ['a', 'b'] : ['a']);
  });

  it('agents C22 calls that exclude each other are let in in order of arrival', () => {
    const { gate, inside, enter } = watched();
    enter('a', reads);
    enter('b', writes);
    enter('c', reads);
    enter('d', writes);
    expect(inside).toEqual(['a']);
    gate.leave('a');
    expect(inside).toEqual(['a', 'b']);
    gate.leave('b');
    gate.leave('c');
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });

  it('agents C22 a call that does not wait any more lets the calls behind it in', () => {
    const { gate, inside, enter } = watched();
    enter('a', reads);
    enter('b', writes);
    enter('c', reads);
    gate.leave('b');
    expect(inside).toEqual(['a', 'c']);
    gate.leave('unknown');
    gate.leave('a');
    gate.leave('c');
    expect(inside).toEqual(['a', 'c']);
  });

  it('agents C22 a call does not wait for a call in which its own agent runs, and siblings exclude each other', () => {
    const { inside, enter } = watched();
    enter('parent', writes);
    enter('child 1', writes, { within: ['parent'] });
    enter('child 2', writes, { within: ['parent'] });
    enter('grandchild', writes, { within: ['parent', 'child 1'] });
    expect(inside).toEqual(['parent', 'child 1', 'grandchild']);
  });

  it('agents C22 a call overtakes a call that waits for a call around it', () => {
    const { gate, inside, enter } = watched();
    enter('parent', writes);
    enter('stranger', writes);
    enter('late', writes);
    enter('child', writes, { within: ['parent'] });
    expect(inside).toEqual(['parent', 'child']);
    gate.leave('parent');
    expect(inside).toEqual(['parent', 'child']);
    gate.leave('child');
    expect(inside).toEqual(['parent', 'child', 'stranger']);
  });

  it('agents C22 two calls whose child turns need the domain of the other call do not wait for each other', () => {
    const { inside, enter } = watched();
    enter('board', writes);
    enter('mail', writes, { domain: 'mail' });
    enter('mail in board', writes, { domain: 'mail', within: ['board'] });
    expect(inside).toEqual(['board', 'mail']);
    enter('board in mail', writes, { within: ['mail'] });
    expect(inside).toEqual(['board', 'mail', 'board in mail']);
  });

  it('agents C22 the taking back of several calls waits for calls that exclude any of them', () => {
    const { gate, inside, enter } = watched();
    enter('mail', writes, { domain: 'mail' });
    const parts = ['board', 'mail'].map((domain) => ({ domain, company: writes }));
    expect(gate.enter({ id: 'revert', parts, within: [] }, () => inside.push('revert'))).toBe(false);
    enter('board', writes);
    expect(inside).toEqual(['mail']);
    gate.leave('mail');
    expect(inside).toEqual(['mail', 'revert']);
    gate.leave('revert');
    expect(inside).toEqual(['mail', 'revert', 'board']);
  });

  it('agents C22 a call that is inside is not taken in twice', () => {
    const { gate, inside, enter } = watched();
    enter('a', writes);
    enter('a', writes);
    gate.leave('a');
    enter('b', writes);
    expect(inside).toEqual(['a', 'a', 'b']);
  });
});

/** An agent enters with a call or leaves; `pick` chooses a call that may do so. */
interface Step {
  readonly kind: 'enter' | 'leave' | 'cancel';
  readonly pick: number;
  readonly parts: readonly GatedPart[];
}

const company = fc.oneof(
  fc.constantFrom(writes, writes, reads, parallel),
  fc.subarray(['1', '2', '3'], { minLength: 1 }).map((names) => on(...names)),
);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'cancel'),
  pick: fc.nat({ max: 30 }),
  parts: fc.array(fc.record({ domain: fc.constantFrom('board', 'mail'), company }), {
    minLength: 1,
    maxLength: 2,
  }),
});

function excludesOne({ domain, company }: GatedPart, others: readonly GatedPart[]): boolean {
  return others.some((other) => other.domain === domain && !mayRunTogether(company, other.company));
}

/** Runs steps of up to four agents, and checks each call that is let in. */
class Agents {
  readonly inside = new Map<string, GatedCall>();
  readonly waiting = new Map<string, GatedCall>();
  private readonly gate = new CallGate();
  private count = 0;

  /** @param depth how deep child turns may be */
  constructor(private readonly depth: number) {}

  carryOut({ kind, pick, parts }: Step): void {
    if (kind === 'enter') this.enter(pick, parts);
    else {
      const ending = kind === 'leave' ? this.able(this.inside) : [...this.waiting.values()];
      if (ending.length > 0) this.leave(ending[pick % ending.length]!.id);
    }
  }

  /** A call ends after the calls of its child turns. */
  private able(calls: ReadonlyMap<string, GatedCall>): readonly GatedCall[] {
    const all = [...this.inside.values(), ...this.waiting.values()];
    return [...calls.values()].filter(({ id }) => !all.some(({ within }) => within.includes(id)));
  }

  private enter(pick: number, parts: readonly GatedPart[]): void {
    if (this.waiting.size >= 4) return;
    const parents = [...this.inside.values()].filter(({ within }) => within.length < this.depth);
    const parent = parents[pick % (parents.length + 1)];
    const within = parent === undefined ? [] : [...parent.within, parent.id];
    const call = { id: `call ${this.count++}`, parts, within };
    this.waiting.set(call.id, call);
    if (this.gate.enter(call, () => this.letIn(call))) this.letIn(call);
  }

  private letIn(call: GatedCall): void {
    expect(this.waiting.has(call.id)).toBe(true);
    for (const other of this.excluding(call, this.inside)) {
      // Beside a call that excludes it, a call is let in only where a child turn of that call waits.
      expect([...this.waiting.values()].some(({ within }) => within.includes(other.id))).toBe(true);
      expect(this.depth).toBeGreaterThan(0);
    }
    if (this.depth === 0) {
      const [first] = this.excluding(call, new Map([...this.waiting, [call.id, call]]));
      const order = [...this.waiting.keys()];
      if (first !== undefined) expect(order.indexOf(first.id)).toBeGreaterThan(order.indexOf(call.id));
    }
    this.waiting.delete(call.id);
    this.inside.set(call.id, call);
  }

  private excluding(call: GatedCall, among: ReadonlyMap<string, GatedCall>): readonly GatedCall[] {
    return [...among.values()].filter(
      ({ id, parts }) =>
        id !== call.id && !call.within.includes(id) && parts.some((part) => excludesOne(part, call.parts)),
    );
  }

  private leave(id: string): void {
    this.inside.delete(id);
    this.waiting.delete(id);
    this.gate.leave(id);
  }

  /** Lets every call end that can end, until none is left. */
  drain(): void {
    for (let [next] = this.able(this.inside); next !== undefined; [next] = this.able(this.inside))
      this.leave(next.id);
    expect([...this.waiting.keys()]).toEqual([]);
    expect([...this.inside.keys()]).toEqual([]);
  }
}

describe('random calls at the gate', () => {
  it.each([
    ['of agents side by side: none is inside beside a call that excludes it, and all get in, in order', 0],
    ['of agents within agents: none waits for ever', 3],
  ])('agents C22 %s', (_, depth) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const agents = new Agents(depth);
        for (const one of steps) agents.carryOut(one);
        agents.drain();
      }),
      propertyRun('the gate of agents', 3_000),
    );
  });
});
