import {
  callsOf,
  conflict,
  defineDomain,
  failed,
  type Domain,
  type SavedConversation,
  type Tool,
  type TurnRecord,
} from '@banister/session';

/** The next number of a schedule, from 0 to 999. */
export type Dice = () => number;

interface Card {
  /** The call that added it. */
  readonly callId: string;
  title: string;
}

/** The number of things that calls paint over each other. */
const THINGS = 3;

/**
 * An app whose effects are cards, each added by one call, and colours of a few things, which calls paint over each other. Reverts of
 * cards fail, wait and meet edits of the user, as the dice say; those of colours put the colour back that they found.
 */
export class BranchedApp {
  private readonly cards = new Map<string, Card>();
  /** The things, each with the call that painted it last; '' for none. */
  private readonly colours: string[] = Array.from({ length: THINGS }, () => '');
  private readonly painted = new Map<string, number>();
  private version = 0;
  /** The ids of the calls whose mails were sent: effects that nothing takes back. */
  private readonly mails = new Set<string>();

  constructor(
    private readonly roll: Dice,
    /** Resolves later, as the clock of the schedule goes on. */
    private readonly wait: () => Promise<void>,
  ) {}

  /** The ids of the calls whose effects are in the app. */
  inPlace(): readonly string[] {
    return [...this.cards.keys(), ...this.mails].sort();
  }

  /** The things whose colour is not that of the last of these calls that painted them. */
  wrongColours(inPlace: readonly string[]): readonly string[] {
    return this.colours.flatMap((colour, thing) => {
      const expected = inPlace.findLast((id) => this.painted.get(id) === thing) ?? '';
      return colour === expected ? [] : [`thing ${thing} has "${colour}", not "${expected}"`];
    });
  }

  isPaint(callId: string): boolean {
    return this.painted.has(callId);
  }

  /** An edit of the user: a card has another title then, and a revert of it would overwrite that. */
  edit(detail: number): void {
    const cards = [...this.cards.values()];
    const card = cards[detail % Math.max(cards.length, 1)];
    if (card !== undefined && detail % 3 === 0) card.title += '!';
    this.version++;
  }

  get domain(): Domain {
    return defineDomain({
      id: 'board',
      tools: [this.adding('add', true), this.adding('keep', false), this.mail, this.paint],
      revision: () => this.version,
    });
  }

  private adding(name: string, redoable: boolean): Tool {
    return {
      name,
      description: 'Adds a card.',
      parameters: { type: 'object' },
      execute: async (_args, { callId, undo }) => {
        if (this.roll() % 3 === 0) await this.wait();
        if (this.roll() % 12 === 0) return failed('The board is full.');
        const card = { callId, title: callId };
        const put = () => {
          this.cards.set(callId, card);
          this.version++;
        };
        put();
        const revert = async () => {
          await this.fault();
          if (card.title !== callId) return conflict(callId, card.title);
          this.cards.delete(callId);
          this.version++;
          return undefined;
        };
        const reapply = async () => {
          await this.fault();
          put();
        };
        undo({
          description: callId,
          paths: [`cards/${callId}`],
          revert,
          ...(redoable ? { reapply } : {}),
        });
        return undefined;
      },
    };
  }

  private get paint(): Tool {
    return {
      name: 'paint',
      description: 'Paints a thing.',
      parameters: { type: 'object' },
      execute: (_args, { callId, undo }) => {
        const thing = this.roll() % THINGS;
        const before = this.colours[thing]!;
        this.painted.set(callId, thing);
        const set = (colour: string) => {
          this.colours[thing] = colour;
          this.version++;
        };
        set(callId);
        undo({
          description: callId,
          paths: [`things/${thing}`],
          revert: () => set(before),
          reapply: () => set(callId),
        });
      },
    };
  }

  private get mail(): Tool {
    return {
      name: 'mail',
      description: 'Sends a mail.',
      parameters: { type: 'object' },
      execute: (_args, { callId, irreversible }) => {
        this.mails.add(callId);
        irreversible(callId);
      },
    };
  }

  /** Lets a step wait, or fail before it moves anything. */
  private async fault(): Promise<void> {
    const fate = this.roll() % 10;
    if (fate < 3) await this.wait();
    if (fate === 9) throw new Error('The board is locked');
  }
}

/** The ids of the calls whose effects are in the app as the records and reports of all turns have it, in the order of the calls. */
export function recordedInPlace({ turns }: SavedConversation): readonly string[] {
  return turns.flatMap(({ record }) => callsInPlace(record));
}

function callsInPlace({ rounds, outcome }: Pick<TurnRecord, 'rounds' | 'outcome'>): readonly string[] {
  const { failed = [], irreversible = [] } = outcome?.report ?? {};
  const staying = new Set([...failed, ...irreversible].map(({ toolCallId }) => toolCallId));
  return rounds.flatMap(callsOf).flatMap(({ id, reverted, late, result }) => {
    if (reverted === true) return [];
    const isThere =
      late === undefined
        ? result?.outcome === 'success' || staying.has(id)
        : late.effect === 'irreversible' || late.effect === 'revert-failed';
    return isThere ? [id] : [];
  });
}
