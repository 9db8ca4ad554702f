import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { TurnRecord } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { roundBreak } from '../operations/round-break.js';
import { begunCommand } from '../state/begun-commands.js';
import type { BegunNote } from '../state/session-state.js';
import type { AgentSession, TurnResult } from './agent-session.js';
import type { Arrived } from './arrivals.js';
import { forgottenAnswer, interruptedCommand } from './command-messages.js';
import type { SentCommand } from './command-table.js';
import { statusOf } from './message-end.js';
import type { SessionCore } from './session-core.js';
import type { SessionLane } from './session-lane.js';

/**
 * Carries out the commands of other sessions in a session with a log. Only one owner of the log begins each command. If an earlier owner has
 * begun a command, this session reads the end of the command from the log.
 */
export class CommandLog {
  private readonly ended = new AbortController();

  constructor(
    private readonly core: SessionCore,
    private readonly lane: Pick<SessionLane, 'arrive'>,
    private readonly session: Pick<AgentSession, 'cancel'>,
  ) {}

  /** Returns true if an owner of the log has begun the command. */
  has(id: string): boolean {
    return begunCommand(this.core.current, id) !== null;
  }

  /**
   * Carries out a command that no owner of the log has begun. For a command that has begun, settles as its end in the log says.
   *
   * @param aborted fires to abort the turn of the command, which listens itself if the command begins here
   */
  async carryOut<R>(command: Arrived, run: () => Promise<R>, aborted?: AbortSignal): Promise<R> {
    const { id, name } = command;
    if (!this.has(id)) return this.lane.arrive(command, run);
    const abort = () => this.abortTurn(id);
    if (aborted?.aborted) abort();
    aborted?.addEventListener('abort', abort, { once: true });
    try {
      return (await this.endOf(id, name)) as R;
    } finally {
      aborted?.removeEventListener('abort', abort);
    }
  }

  /** Rejects the commands that wait for their end, because the log cannot be read any more, or the session ends. */
  abort(error: AgentSessionError): void {
    this.ended.abort(error);
  }

  /** Cancels the turn that an earlier owner has started for a command, if the turn has not ended. */
  private abortTurn(id: string): void {
    const { current } = this.core;
    const note = begunCommand(current, id);
    if (note === null || note === 'before' || note.turn === undefined) return;
    if (current.liveTurn?.id === note.turn) this.session.cancel({ immediate: true }).catch(() => {});
  }

  /** Settles as a command that an earlier owner has begun, when its end is stored. */
  private async endOf(id: string, name: SentCommand): Promise<unknown> {
    const { core } = this;
    const { signal } = this.ended;
    const { liveTurn, turns, queue, interrupted } = core.projection.signals;
    const stops: (() => void)[] = [];
    const known = new Promise<() => unknown>((resolve, reject) => {
      const check = () => {
        const end = endIn(core, name, begunCommand(core.current, id));
        if (end !== null) resolve(end);
      };
      const abort = () => reject(signal.reason as AgentSessionError);
      for (const one of [liveTurn, turns, queue, interrupted]) stops.push(one.subscribe(check));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      stops.push(() => signal.removeEventListener('abort', abort));
    });
    const end = await known.finally(() => stops.forEach((stop) => stop()));
    // If this write is refused, the next owner of the log may give the command another end, as for a command of this session.
    await Promise.resolve(core.journal?.barrier()).catch(() => {});
    return end();
  }
}

/** Returns a function that returns or throws the end of a command; null while the command has no end. */
function endIn(
  core: SessionCore,
  name: SentCommand,
  note: BegunNote | 'before' | null,
): (() => unknown) | null {
  if (note === 'before') return thrower(forgottenAnswer());
  if (note === null) return thrower(interruptedCommand());
  const { item, left, turn } = note;
  if (left === 'joined') return () => left;
  if (left === 'removed') return () => 'cancelled';
  if (left === 'refused') return thrower(refusedMessage());
  const { queue, liveTurn, interrupted } = core.current;
  const waiting = queue.find(({ id }) => id === item);
  if (name === 'steer' && (turn !== undefined || waiting?.steering === false)) return () => 'queued';
  if (waiting !== undefined) return null;
  if (turn === undefined) return thrower(interruptedCommand());
  // The model of the turn has failed, and the turn waits.
  if (interrupted?.turnId === turn && interrupted.error) return thrower(core.errors.of(interrupted.error));
  if (liveTurn?.id === turn) return null;
  const record = endedTurn(turn, core.current);
  if (record === null) return thrower(interruptedCommand());
  return () => resultIn(core, name, record);
}

function thrower(error: AgentSessionError): () => never {
  return () => {
    throw error;
  };
}

/** Returns the result of a command whose turn has ended. Throws the error of the turn. */
function resultIn(core: SessionCore, name: SentCommand, record: TurnRecord): unknown {
  const status = statusOf(core, record);
  const { usage, rounds, stop } = record.outcome!;
  if (name === 'enqueue') return status;
  const text = textOf(record);
  if (name === 'generate') return JSON.parse(text) as unknown;
  const ids = new Set(record.messageIds);
  const { conversation, fold } = core.current;
  const all = [...conversation.messages, ...fold.aside.flatMap(({ messages }) => messages)];
  const messages = all.filter(({ id }) => ids.has(id));
  return defined({ status, text, messages, usage, rounds, stop }) satisfies TurnResult;
}

/** Returns the text of an ended turn. For a `generate` this is the JSON text of its output. */
function textOf({ rounds, structured }: TurnRecord): string {
  const texts = rounds.map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  if (structured !== undefined) return texts.at(-1) ?? '';
  return texts.filter((text) => text !== '').join(roundBreak);
}

function refusedMessage(): AgentSessionError {
  return new AgentSessionError('interrupted', 'The turn of the message could not start.', {
    details: { reason: 'command' },
  });
}
