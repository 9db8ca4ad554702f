import { canonicalJson, type JsonObject, type JsonValue } from '../json/json.js';

/** The first line of the result of a call that the user edited: what was changed, field by field. */
export function editedLine(written: JsonObject, ran: JsonObject): string {
  const names = Object.keys({ ...written, ...ran }).filter((name) => text(written[name]) !== text(ran[name]));
  const changes = names.map((name) => `${name} from ${text(written[name])} to ${text(ran[name])}`);
  return changes.length === 0
    ? 'The user looked at the arguments and left them as they were.'
    : `The user changed the arguments before they ran: ${changes.join(', ')}.`;
}

function text(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : canonicalJson(value);
}
