import { isDeepStrictEqual } from 'node:util';
import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  immediate,
  type Agent,
  type LocalAgentSession,
  type SavedConversation,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import { direct, remoteSession, type RemoteSession, type Transport } from '@banister/remote';
import {
  callTools,
  createDeterministicRandom,
  createVirtualClock,
  gate,
  say,
  scriptedProvider,
  settle,
  type Gate,
} from '@banister/testing';
import { noValidator } from './remote.js';
import { faultyTransport, type FaultyTransport } from './faulty-transport.js';

/** The domain of the session, with one tool, which asks the user and can be undone. */
function board() {
  const cards = new Set<string>();
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute({ title }, context) {
      cards.add(title);
      context.undo({
        description: `Added ${title}`,
        revert: () => void cards.delete(title),
        reapply: () => void cards.add(title),
      });
      return { title };
    },
  });
  return defineDomain({ id: 'board', tools: [add] });
}

const delegated = (number: number) => ({
  tool: 'banister.delegate',
  args: { agent: 'helper', task: `Task ${number}.` },
});

/**
 * An agent that adds a card in every second request, and answers in the others.
 *
 * @param later returns a gate that opens by itself
 */
function helper(later: () => Gate): Agent {
  const provider = scriptedProvider([], {
    otherwise: (_request, number) =>
      number % 2 === 1
        ? callTools('I add. ', { tool: 'board.add', args: { title: `Card of the agent ${number}` } })
        : say([`Part ${number}, `, later(), 'and its end.']),
  });
  return { id: 'helper', description: 'Helps.', role: 'You help.', tools: ['board'], provider };
}

/** A remote session in a random schedule. */
export interface Device {
  readonly session: RemoteSession;
  readonly transport: FaultyTransport;
  /** The texts that it sent, in the order of the calls. */
  readonly sent: string[];
}

/** The fields in which two states differ. */
function differing(one: SavedConversation, other: SavedConversation): string {
  const keys = Object.keys(one) as (keyof SavedConversation)[];
  return keys.filter((key) => !isDeepStrictEqual(one[key], other[key])).join();
}

/** A session on one machine, and remote sessions on other machines behind transports that fail. */
export class FollowedApp {
  readonly clock = createVirtualClock(1_000_000);
  readonly host: LocalAgentSession;
  readonly devices: Device[] = [];
  /** The texts that reached the host, in the order of arrival. */
  readonly arrived: string[] = [];
  readonly problems: string[] = [];
  private readonly states = new Map<number, SavedConversation>();
  private readonly transport: Transport;
  private readonly random: () => number;
  private open = 0;
  private texts = 0;

  constructor(seed: number) {
    this.random = createDeterministicRandom(seed);
    const { clock } = this;
    const later = () => {
      const later = gate();
      clock.schedule(() => later.open(), 30);
      return later;
    };
    const provider = scriptedProvider([], {
      otherwise: (_request, number) =>
        number % 4 === 1
          ? callTools('I ask. ', { tool: 'board.add', args: { title: `Card ${number}` } })
          : number % 4 === 2
            ? callTools('I delegate. ', delegated(number), delegated(-number))
            : say([`Answer ${number}, `, later(), 'and its end.']),
    });
    this.host = createAgentSession({
      provider,
      domains: [board()],
      guards: [confirmTools('board.add')],
      agents: [helper(later)],
      limits: { maxToolCalls: 60, timeoutMs: 300_000 },
      ports: { clock, scheduler: immediate(), validator: noValidator, random: this.random },
    });
    this.host.operations$.subscribe(({ sequence }) => {
      const { state } = this.host;
      if (state.sequence === sequence) this.states.set(sequence, savedState(state));
    });
    this.transport = direct(this.watched(), { ports: { clock } });
  }

  /** Lets a device join, no matter what the session is doing. */
  join(): void {
    if (this.devices.length === 4) return;
    const { clock, random } = this;
    const transport = faultyTransport(this.transport, clock, random);
    const reportError = (error: unknown) => this.problems.push(`reported: ${String(error)}`);
    const session = remoteSession(transport, {
      ports: { clock, random, scheduler: immediate(), reportError },
    });
    this.devices.push({ session, transport, sent: [] });
    session.operations$.subscribe(({ type, sequence }) => {
      const state = savedState(session.state);
      const expected = this.states.get(sequence);
      if (state.sequence === sequence && expected !== undefined && !isDeepStrictEqual(state, expected))
        this.problems.push(`after ${sequence}, ${type}, the state differs in ${differing(state, expected)}`);
    });
  }

  /** Gives a command with a unique text on one device. */
  give(device: Device, name: 'send' | 'enqueue' | 'steer'): void {
    const text = `Text ${++this.texts}`;
    device.sent.push(text);
    this.watch(device.session[name](text));
  }

  /** Watches the promise of a command, which must settle once. */
  watch(promise: Promise<unknown>): void {
    this.open++;
    const settled = () => this.open--;
    promise.then(settled, settled);
  }

  /** Ends all faults and waits until nothing is open. The last device answers the questions. */
  async rest(): Promise<void> {
    for (const { transport } of this.devices) transport.heal();
    for (let round = 0; round < 200 && !this.isAtRest(); round++) {
      await this.clock.advance(1_000);
      this.watch(this.devices.at(-1)!.session.pendingConfirmation.value?.approve() ?? Promise.resolve());
      this.watch(this.host.resumeQueue());
      await settle();
    }
    if (this.open > 0) this.problems.push(`${this.open} promises did not settle`);
    for (const { session } of this.devices)
      if (!isDeepStrictEqual(session.state, this.host.state))
        this.problems.push('the states differ at the end');
  }

  async dispose(): Promise<void> {
    for (const { session } of this.devices) await session.dispose();
    await this.host.dispose();
    // The gates of cancelled answers are open.
    await this.clock.advance(1_000);
    if (this.clock.pending > 0) this.problems.push(`${this.clock.pending} timers are left`);
  }

  private isAtRest(): boolean {
    const { sequence } = this.host.state;
    const isIdle = !this.host.state.isRunning && this.host.state.queue.length === 0;
    return (
      isIdle && this.open === 0 && this.devices.every(({ session }) => session.state.sequence === sequence)
    );
  }

  /** Returns the session, which records the texts of its commands. */
  private watched(): LocalAgentSession {
    const { host, arrived } = this;
    return new Proxy(host, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(host, name);
        if (name !== 'send' && name !== 'enqueue' && name !== 'steer') return value;
        return (text: string) => {
          arrived.push(text);
          return host[name](text);
        };
      },
    });
  }
}
