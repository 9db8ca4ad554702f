import { wireCallIds, type Message } from '@handrail/session/provider';

/** Ids of calls as this API accepts them; other providers put dots and colons into theirs. */
export function toWireIds(messages: readonly Message[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const [id, wireId] of wireCallIds(messages)) {
    const plain = wireId.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
    let unique = plain;
    for (let count = 2; used.has(unique); count++) unique = `${plain}_${count}`;
    used.add(unique);
    ids.set(id, unique);
  }
  return ids;
}
