import {
  callsOf,
  conflict,
  defineDomain,
  failed,
  type Domain,
  type SavedConversation,
  type Tool,
  type TurnRecord,
} from '@handrail/session';

/** The next number of a schedule, from 0 to 999. */
export type Dice = () => number;

interface Card {
  /** The call that added it. */
  readonly callId: string;
  title: string;
}

/** An app whose effects are cards, each added by one call. Reverts fail, wait and meet edits of the user, as the dice say. */
export class BranchedApp {
  private readonly cards = new Map<string, Card>();
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
      tools: [this.adding('add', true), this.adding('keep', false), this.mail],
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
        undo({ description: callId, revert, ...(redoable ? { reapply } : {}) });
        return undefined;
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

/** The ids of the calls whose effects are in the app as the records and reports of all turns have it. */
export function recordedInPlace({ turns }: SavedConversation): readonly string[] {
  return turns.flatMap(({ record }) => callsInPlace(record)).sort();
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
