import type { JsonValue } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import type { Ports } from '../ports/ports.js';
import { checkUndoData } from '../tools/check-undo-data.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';
import type { Revision, RevertByData, ToolUndo } from '../tools/tool.js';

/** One attempt to take an effect back, or to make it again. */
interface StepRun {
  /** The revision of the domain after the session's last change. */
  readonly expected: Revision;
  /** Fires when the attempt takes too long. */
  readonly signal: AbortSignal;
  /** A key for servers. A repetition of the same attempt has the same key, also after a reload. */
  readonly idempotencyKey: string;
  /** The ports that check the data. */
  readonly ports: Pick<Ports, 'clock' | 'validator'>;
  /** Called with data that replaces the data of the effect. */
  replaced(data: JsonValue): void;
}

type Result = void | ToolOutcome | Promise<void | ToolOutcome>;

/** The code that takes an effect back, and makes it again. */
export interface StepCode {
  revert(run: StepRun): Result;
  readonly reapply: ((run: StepRun) => Result) | undefined;
}

/** Returns the code for an effect that a tool recorded with closures. */
export function codeOfClosures(undo: ToolUndo): StepCode {
  return {
    revert: ({ expected }) => undo.revert(expected),
    reapply: undo.reapply && (({ expected }) => undo.reapply!(expected)),
  };
}

/** Returns the code for an effect that a tool recorded with data. */
export function codeOfData(undo: RevertByData, callId: string, data: JsonValue): StepCode {
  let current = data;
  const contextOf = ({ expected, signal, idempotencyKey, replaced }: StepRun) => ({
    signal,
    revision: expected,
    callId,
    idempotencyKey,
    replaceData: (next: unknown) => {
      current = deepFreeze(jsonCopy(next));
      replaced(current);
    },
  });
  const checked =
    (move: RevertByData['revert']) =>
    (run: StepRun): Result =>
      undo.data === undefined
        ? move(current, contextOf(run))
        : checkUndoData(undo.data, current, run.ports).then(() => move(current, contextOf(run)));
  return { revert: checked(undo.revert), reapply: undo.reapply && checked(undo.reapply) };
}
