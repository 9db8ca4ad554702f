import type { Message } from '@banister/provider';
import { wrong } from '@banister/provider/internal/json/shape';
import { checkPairs } from './check-pairs.js';
import type { ReadFields } from './read-saved.js';

/** Checks that the turns and marks form a tree, and that the head is one of its nodes. Throws a `Mismatch`. */
export function checkTree({ head, turns, marks }: Pick<ReadFields, 'head' | 'turns' | 'marks'>): void {
  const nodes = [
    ...turns.map(({ turn: { id, parentId } }, index) => ({ id, parentId, at: `turns[${index}]` })),
    ...marks.map(({ id, parentId }, index) => ({ id, parentId, at: `marks[${index}]` })),
  ];
  const parents = new Map<string, string | null>();
  for (const { id, parentId, at } of nodes) {
    if (parents.has(id)) wrong(at, `its id ${JSON.stringify(id)} occurs twice`);
    parents.set(id, parentId);
  }
  const known = (id: string | null) => id === null || parents.has(id);
  for (const { parentId, at } of nodes)
    if (!known(parentId)) wrong(at, `its parent ${JSON.stringify(parentId)} does not exist`);
  if (!known(head)) wrong('head', `there is no turn ${JSON.stringify(head)}`);
  /** The ids whose ancestors are known to lead to the beginning. */
  const rooted = new Set<string | null>([null]);
  for (const { id, at } of nodes) {
    const trail = new Set<string>();
    for (let next: string | null = id; !rooted.has(next); next = parents.get(next!)!) {
      if (trail.has(next!)) wrong(at, 'its parents form a cycle');
      trail.add(next!);
    }
    for (const one of trail) rooted.add(one);
  }
}

/**
 * Checks that the messages of each path are a history that every provider accepts: it checks the messages of each turn, and that no id
 * occurs twice. Only sibling turns may have the same user message, because they are never on the same path.
 */
export function checkMessages({ prefix, turns }: Pick<ReadFields, 'prefix' | 'turns'>): void {
  const calls = new Set<string>();
  /** The id of each message. If it is a user message, its value is the parent of its turn. */
  const seen = new Map<string, string | null | undefined>();
  const check = (messages: readonly Message[], at: string, input?: string, parentId?: string | null) => {
    checkPairs(messages, at);
    messages.forEach(({ id, parts }, index) => {
      const here = `${at}[${index}]`;
      const beside = index === 0 && id === input ? parentId : undefined;
      if (seen.has(id) && (beside === undefined || seen.get(id) !== beside))
        wrong(here, 'two messages have its id');
      seen.set(id, beside);
      for (const part of parts) {
        if (part.type !== 'tool-call') continue;
        if (calls.has(part.id)) wrong(here, `the call ${part.id} stands in it a second time`);
        calls.add(part.id);
      }
    });
  };
  check(prefix, 'prefix');
  turns.forEach(({ turn, messages }, index) =>
    check(messages, `turns[${index}].messages`, turn.input.id, turn.parentId),
  );
}
