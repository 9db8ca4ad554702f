import type { SchemaWarning, ToolDefinition } from '@banister/provider';
import { messageOf, toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { textOf } from '@banister/provider/internal/messages/message';
import { catchError, defer, mergeMap, type Observable } from 'rxjs';
import { fromAsync } from '../operations/from-async.js';
import type { TurnFact } from '../operations/operation.js';
import { concat, type Stage } from './concat.js';
import { discovered } from './doors.js';
import type { Turn } from './turn-context.js';

/** Opens the undo transaction, chooses and checks the tools, and appends the user message to the conversation. */
export function openTurn(turn: Turn): Observable<TurnFact> {
  return concat(
    concat(openTransaction(turn), discovered(turn), () => checkTools(turn)).pipe(
      turn.cancellation.untilCancelled(),
    ),
    () => inputFact(turn),
  );
}

/** Appends the user message, unless a resumed turn has already done so. */
export function inputFact({ input, current }: Pick<Turn, 'input' | 'current'>): Stage {
  const isAppended = current().liveTurn?.messageIds.includes(input.id);
  return isAppended ? [] : { type: 'messagesAppended', messages: [input] };
}

function openTransaction(turn: Turn): Observable<never> {
  const label = textOf(turn.input).slice(0, 80);
  return fromAsync(async () => {
    try {
      await turn.transaction.open(label);
    } catch (error) {
      throw toSessionError(error, 'undo-failed', `The undo history could not be opened: ${messageOf(error)}`);
    }
  });
}

function checkTools(turn: Turn): Stage {
  const definitions = turn.discovery?.all ?? turn.tools.definitions;
  const { provider } = turn.settings;
  const own = definitions.flatMap(ownWarnings);
  if (!provider.validateTools || definitions.length === 0) return warningFacts(own);
  return defer(async () => readWarnings(await provider.validateTools!(definitions))).pipe(
    // Warnings never end a turn, and neither does a failure of the check.
    catchError((error: unknown) => [[{ tool: '*', message: `The check failed: ${messageOf(error)}` }]]),
    mergeMap((theirs) => warningFacts([...own, ...theirs])),
  );
}

/** Throws if the value is not a list of warnings. */
function readWarnings(given: readonly SchemaWarning[]): readonly SchemaWarning[] {
  return given.map(({ tool, message }) => {
    if (typeof tool === 'string' && typeof message === 'string') return { tool, message };
    throw new Error('a warning needs a tool and a message');
  });
}

/** Returns warnings about faults of a schema that exist with every provider. */
function ownWarnings({ name, parameters }: ToolDefinition): readonly SchemaWarning[] {
  const properties = isJsonObject(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? (parameters.required as readonly string[]) : [];
  return required
    .filter((property) => !Object.hasOwn(properties, property))
    .map((property) => ({ tool: name, message: `"${property}" is required, but not described.` }));
}

function warningFacts(warnings: readonly SchemaWarning[]): readonly TurnFact[] {
  return warnings.length === 0 ? [] : [{ type: 'schemaWarnings', warnings }];
}
