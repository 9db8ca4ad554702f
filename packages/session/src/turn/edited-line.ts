import type { JsonObject, JsonValue } from '@banister/provider';
import { canonicalJson } from '@banister/provider/internal/json/json';
import * as told from '../conversation/model-words.js';
import type { ReadyCall } from './batch-call.js';

/** Returns the lines about changed arguments before the result of a call: first the change of a middleware, then the edit of the user. */
export function changeLines({ replaced, editedFrom, arguments: args }: ReadyCall): readonly string[] {
  return [
    ...(replaced === null ? [] : [replaced.line]),
    ...(editedFrom === null ? [] : [editedLine(editedFrom, args)]),
  ];
}

/** Returns the first line of the result of a call that the user edited: the changes of its fields. */
function editedLine(written: JsonObject, ran: JsonObject): string {
  const changes = changesOf(written, ran);
  return changes === '' ? told.leftAsWritten : told.changedArguments(changes);
}

/** Returns the line about an edit that was refused, so that the model does not think that its own arguments were refused. */
export function refusedEditLine(written: JsonObject, edited: JsonObject): string {
  const changes = changesOf(written, edited);
  return changes === '' ? editedLine(written, edited) : told.refusedArguments(changes);
}

/** Returns the changes of arguments, one for each changed field. */
export function changesOf(written: JsonObject, edited: JsonObject): string {
  return Object.keys({ ...written, ...edited })
    .filter((name) => text(written[name]) !== text(edited[name]))
    .map((name) => told.changedField(name, text(written[name]), text(edited[name])))
    .join(', ');
}

function text(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}
