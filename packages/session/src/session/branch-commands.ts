import { readInput } from '../conversation/read-user-input.js';
import type { JsonObject, Message } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { checked } from '@banister/provider/internal/errors/checked';
import { defined } from '@banister/provider/internal/json/defined';
import { any, flag, oneOf, only, optional, type Read } from '@banister/provider/internal/json/shape';
import { isSetAside, type TurnRecord, type UndoReport } from '../conversation/turn-record.js';
import type { Attached } from '../operations/session-operations.js';
import { findTurn, idsOnPath, moveTo, newestIn } from '../state/tree.js';
import { obstaclesOf, planOf, possibleSteps, type BranchObstacle } from '../undo/branch-plan.js';
import type { LeaveOptions, RegenerateOptions, SwitchOptions, TurnResult } from './agent-session.js';
import { abandonInterrupted, assertWriter, stored, type BranchParts } from './branch-parts.js';
import { BranchSteps } from './branch-steps.js';
import type { ReadInput } from './read-input.js';
import { stackOf } from './undo-command.js';

/** Starts a sibling of a turn with the same user message, see `AgentSession.regenerate`. */
export async function regenerate(parts: BranchParts, options: RegenerateOptions = {}): Promise<TurnResult> {
  checked(regenerateShape, options, 'The options of regenerate');
  const turn = options.turnId === undefined ? newestTurn(parts) : turnOf(parts, options.turnId);
  return startBeside(parts, turn, turn.input, options);
}

/** Starts a sibling of a turn with another user message, see `AgentSession.edit`. */
export async function edit(
  parts: BranchParts,
  turnId: string,
  { own, attached }: ReadInput,
  options: LeaveOptions = {},
): Promise<TurnResult> {
  checked(editShape, options, 'The options of edit');
  const turn = turnOf(parts, turnId);
  const message: Message = { id: parts.ports.ids.next('message'), role: 'user', parts: readInput(own) };
  return startBeside(parts, turn, message, options, attached);
}

/** Makes another path the conversation, see `AgentSession.switchTo`. */
export async function switchTo(
  parts: BranchParts,
  turnId: string,
  options: SwitchOptions = {},
): Promise<UndoReport> {
  checked(switchShape, options, 'The options of switchTo');
  const { core } = parts;
  // After a `clear`, the head is a mark and not a turn.
  const isMark = core.current.fold.marks.some(({ id }) => id === turnId);
  if (!isMark && isSetAside(turnOf(parts, turnId))) throw unsupportedTurn('does not join the path');
  await abandonInterrupted(parts);
  const head = newestIn(turnId, core.current);
  const movesHead = head !== core.current.headTurnId;
  return afterPlan(parts, head, { effects: 'keep', ...defined(options), movesHead }, async (report) => {
    if (!movesHead) return report;
    core.emitSession(moveTo(head, core.current));
    await stored(parts);
    return report;
  });
}

/** Empties the conversation, see `AgentSession.clear`. */
export async function clear(parts: BranchParts): Promise<void> {
  await abandonInterrupted(parts);
  assertWriter(parts);
  const { core, ports, release } = parts;
  release();
  if (core.current.conversation.messages.length === 0) return;
  core.emitSession({ type: 'pathCleared', id: ports.ids.next('mark') });
  await stored(parts);
}

/** Starts a sibling of `turn` with the message `input`, if all preconditions hold. */
async function startBeside(
  parts: BranchParts,
  turn: TurnRecord,
  input: Message,
  options: LeaveOptions,
  attached: readonly Attached[] = [],
): Promise<TurnResult> {
  const { core, runner } = parts;
  if (turn.structured !== undefined) throw unsupportedTurn('is not repeated: call generate again');
  const { options: given, settings } = runner.retrySettings({ ...turn, input }, {});
  await abandonInterrupted(parts);
  const { id, parentId } = turn;
  const repeated = input === turn.input ? { retryOf: id, from: turn.from } : { retryOf: undefined };
  const prepared = runner.prepared({ input, parentId, ...repeated }, settings, given);
  return afterPlan(parts, parentId, { effects: 'undo', ...defined(options), movesHead: true }, () =>
    runner.start({ ...prepared, before: [...attached, moveTo(parentId, core.current)] }),
  );
}

/**
 * Takes some effects back, makes others again, then moves the head. Rejects `conflict` before anything runs.
 *
 * @param head the turn that becomes the head; null for the beginning of the conversation
 * @param move called synchronously after the session is released, so that no other command begins in between
 */
async function afterPlan<R>(
  parts: BranchParts,
  head: string | null,
  { effects, force = false, movesHead }: PlanOptions,
  move: (report: UndoReport) => Promise<R>,
): Promise<R> {
  const { core, release } = parts;
  const stack = stackOf(parts);
  const plan = planOf(core.current, idsOnPath(head, core.current), effects, stack);
  const obstacles = force ? [] : obstaclesOf(plan, stack);
  if (obstacles.length > 0) throw conflict(obstacles);
  return new BranchSteps(parts, possibleSteps(plan), { force, movesHead }).run((report) => {
    assertWriter(parts);
    release();
    return move(report);
  });
}

interface PlanOptions {
  readonly effects: 'undo' | 'keep' | 'follow';
  readonly force?: boolean;
  readonly movesHead: boolean;
}

function conflict(obstacles: readonly BranchObstacle[]): AgentSessionError {
  const names = obstacles.map(wordsOf);
  return new AgentSessionError('conflict', `The effects cannot follow the branch: ${names.join('; ')}.`, {
    details: { obstacles } as unknown as JsonObject,
  });
}

function wordsOf({ reason, description, domains = [] }: BranchObstacle): string {
  switch (reason) {
    case 'revision':
      return `${domains.join(', ')} changed since`;
    case 'not-redoable':
      return 'a turn cannot be made again';
    case 'in-the-way':
      return 'other turns changed the same part of the app, and stay as they are';
    default:
      return `${description} (${reason})`;
  }
}

function unsupportedTurn(why: string): AgentSessionError {
  return new AgentSessionError('unsupported', `A turn of generate ${why}.`);
}

const leaveFields = {
  effects: optional(oneOf('undo', 'keep')),
  force: optional(flag),
} satisfies Record<keyof LeaveOptions, Read>;

// `turnOf` checks the id.
const regenerateShape = only({ ...leaveFields, turnId: any } satisfies Record<keyof RegenerateOptions, Read>);
const editShape = only(leaveFields);
const switchShape = only({
  effects: optional(oneOf('keep', 'follow')),
  force: optional(flag),
} satisfies Record<keyof SwitchOptions, Read>);

/** Returns the turn with this id. Throws `invalid-input`. */
function turnOf({ core }: BranchParts, turnId: string): TurnRecord {
  const found = findTurn(core.current, turnId);
  if (found === undefined)
    throw new AgentSessionError('invalid-input', `There is no turn "${String(turnId)}".`);
  return found.turn;
}

/** Returns the last turn of the path, even if it was interrupted. Throws `nothing-to-retry`. */
function newestTurn({ core }: BranchParts): TurnRecord {
  const { liveTurn, turns } = core.current;
  const turn = liveTurn ?? turns.at(-1);
  if (turn === undefined) throw new AgentSessionError('nothing-to-retry', 'There is no turn yet.');
  return turn;
}
