import { listOf, textIn, type Fields } from '@handrail/wire';

/** An item that may go back to the server. */
export interface Candidate<Item> {
  readonly item: Item;
  /** `own`: written anew from the conversation. `reasoning` and `hosted`: as the server wrote them. */
  readonly kind: 'own' | 'reasoning' | 'hosted';
  /** False for an item that the server would refuse. */
  readonly isReturnable: boolean;
}

/**
 * The items of one answer that go back. The server wants reasoning together with the item that it led to, or neither: so
 * reasoning goes back only where its next item does, and what the server did itself only where the reasoning before it does.
 */
export function returnedItems<Item>(candidates: readonly Candidate<Item>[]): Item[] {
  let isBroken = false;
  const kept = candidates.map(({ kind, isReturnable }) => {
    if (kind === 'own') isBroken = false;
    else isBroken ||= !isReturnable;
    return !isBroken;
  });
  for (let i = candidates.length - 1; i >= 0; i--) {
    if (candidates[i]?.kind === 'reasoning') kept[i] &&= kept[i + 1] ?? false;
  }
  return candidates.flatMap(({ item }, index) => (kept[index] ? [item] : []));
}

/** True for reasoning that a server which stores nothing can read again: encrypted, or in plain words. */
export function isReadable(reasoning: Fields): boolean {
  return textIn(reasoning['encrypted_content']) !== '' || listOf(reasoning['content']).length > 0;
}

/**
 * True for an item of the server's own doing that it takes back: whole, and not a question that still waits for its answer.
 *
 * @param others all items of the same answer
 */
export function isSettled(item: Fields, others: readonly Fields[]): boolean {
  const { type, status, call_id: callId } = item;
  if (status !== undefined && status !== 'completed' && status !== 'failed') return false;
  if (type === 'mcp_approval_request') return false;
  const isOutput = textIn(type).endsWith('_output');
  return (
    callId === undefined ||
    isOutput ||
    others.some((other) => other['call_id'] === callId && textIn(other['type']).endsWith('_output'))
  );
}
