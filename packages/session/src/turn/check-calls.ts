import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import * as told from '../conversation/model-words.js';
import type { Observable } from 'rxjs';
import { callsOf } from '../conversation/turn-record.js';
import { parseArguments } from '../conversation/parse-arguments.js';
import { repetition } from '../limits/repeated-calls.js';
import { tripped } from '../limits/spending.js';
import type { TurnFact } from '../operations/operation.js';
import {
  checkArguments,
  invalidArgumentsText,
  unknownToolText,
  unreadableArgumentsText,
} from '../tools/check-arguments.js';
import { hostedTool, refuseEdit } from '../tools/hosted-tool.js';
import { reject, type BatchCall } from './batch-call.js';
import { fromAsync } from '../operations/from-async.js';
import { toldOf } from './doors.js';
import type { Turn } from './turn-context.js';

type CheckingTurn = Pick<Turn, 'current' | 'tools' | 'discovery' | 'arguments' | 'ports' | 'parts'>;

/**
 * Checks each call: it is not a repetition, its tool exists, and its arguments fit. Rejects calls that fail a check; no guard is called for
 * them.
 */
export function checkCalls(turn: CheckingTurn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    // `fold.turn.repeated` already counts all equal calls of the batch, so the later calls are subtracted.
    const later = new Map<string, number>();
    for (const { key } of calls) later.set(key, (later.get(key) ?? 0) + 1);
    for (const call of calls) {
      later.set(call.key, later.get(call.key)! - 1);
      const fact = await checkCall(turn, call, later.get(call.key)!);
      if (facts.closed) return;
      if (fact !== null) facts.next(fact);
    }
  });
}

/** @param later the number of equal calls after this one in the batch */
async function checkCall(turn: CheckingTurn, call: BatchCall, later: number): Promise<TurnFact | null> {
  const { tool: name } = call.requested;
  const counted = turn.current().fold.turn?.repeated[call.key] ?? 1;
  const verdict = repetition(counted - later);
  if (verdict === 'trip')
    throw tripped('repeated-call', `The model made the same call of ${name} again and again.`, 5);
  if (verdict === 'answer') {
    return reject(call, 'repeated', told.repeated(name));
  }

  return readied(turn, call);
}

/** Checks the arguments of a call. Returns the fact of a rejection; null if the arguments fit, and the call is ready. */
export async function readied(turn: CheckingTurn, call: BatchCall): Promise<TurnFact | null> {
  const { callId, tool: name, argumentsText, arguments: parsed, hosted } = call.requested;
  const tool = hosted ? hostedTool(name) : turn.tools.get(name);
  if (!tool) {
    const text = turn.discovery?.refusal(name);
    return reject(call, 'unknown-tool', text ?? unknownToolText(name, turn.tools, wasKnown(turn, name)));
  }

  if (parsed === null) {
    // The text is parsed again to get the message of the error.
    const again = parseArguments(argumentsText);
    const text = unreadableArgumentsText(tool, argumentsText, again.ok ? '' : again.message);
    return reject(call, 'invalid-arguments', text);
  }

  try {
    const validate = hosted ? refuseEdit : await turn.arguments.validateOf(tool);
    const args = call.edited ?? parsed;
    const checked = hosted
      ? ({ ok: true, value: args } as const)
      : await checkArguments(tool, validate, args);
    if (!checked.ok) return reject(call, 'invalid-arguments', invalidArgumentsText(tool, checked.issues));
    call.ready = {
      id: callId,
      tool,
      validate,
      arguments: args,
      value: checked.value,
      editedFrom: call.edited === null ? null : parsed,
      replaced: null,
      runsDespiteCancel: false,
    };
    return null;
  } catch (error) {
    // The code that checks arguments could not be loaded. The turn fails, because the model cannot correct that, but the user can retry.
    if (isAgentSessionError(error) && error.code === 'network') throw error;
    // A call that cannot be checked does not run.
    turn.ports.reportError(error);
    return reject(call, 'validator-unavailable', told.notChecked(name, await toldOf(turn, error)));
  }
}

/** Returns true if the conversation has an answered call of this tool: an earlier session may have had the tool. */
function wasKnown({ current }: Pick<Turn, 'current'>, name: string): boolean {
  const { turns, liveTurn } = current();
  return [...turns, ...(liveTurn === null ? [] : [liveTurn])].some(({ rounds }) =>
    rounds
      .flatMap(callsOf)
      .some(
        ({ tool, result, rejection }) =>
          tool === name && result !== undefined && rejection !== 'unknown-tool',
      ),
  );
}
