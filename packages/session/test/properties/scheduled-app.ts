import type { Domain } from '@banister/session';
import { createBoardDomain, type BoardDomain, type BoardRun } from './board-domain.js';
import type { Board, StepFaults } from './board.js';

/** The domains of the app, whose boards change apart from each other. */
export const domainIds = ['board', 'shelf'] as const;
export type DomainId = (typeof domainIds)[number];

/** The app of a schedule: two boards, each a domain. The revisions of the first are numbers, those of the second texts. */
export class ScheduledApp {
  readonly faults: StepFaults = { kind: 'none', spared: 0 };
  readonly runs: BoardRun[] = [];
  private readonly parts: Readonly<Record<DomainId, BoardDomain>>;

  /** @param started called with each run before its first effect */
  constructor(started: (run: BoardRun) => void) {
    const begin = (run: BoardRun) => {
      this.runs.push(run);
      started(run);
    };
    this.parts = {
      board: createBoardDomain('board', this.faults, (changes) => changes, begin),
      shelf: createBoardDomain('shelf', this.faults, (changes) => `v${changes}`, begin),
    };
  }

  get domains(): readonly Domain[] {
    return Object.values(this.parts).map(({ domain }) => domain);
  }

  /** Reverts that were asked to hang and never ended. */
  get hanging(): number {
    return this.boards.reduce((sum, board) => sum + board.hanging, 0);
  }

  userEdit(domain: DomainId, place: string, title: string | null): void {
    this.parts[domain].board.userEdit(place, title);
  }

  /** Whether something that the call did is in effect. */
  isApplied(callId: string): boolean {
    return this.boards.some((board) => board.isApplied(callId));
  }

  /** Whether something that the call wrote stands on a board. */
  isWritten(callId: string): boolean {
    return this.boards.some((board) => board.isWritten(callId));
  }

  /** Places where the user's text is gone, though no write of the agent that is in effect explains it. */
  lostUserEdits(): readonly string[] {
    return domainIds.flatMap((id) => this.parts[id].board.lostUserEdits().map((place) => `${id} ${place}`));
  }

  private get boards(): readonly Board[] {
    return Object.values(this.parts).map(({ board }) => board);
  }
}
