import type { Message } from '@banister/provider';
import { wrong } from '@banister/provider/internal/json/shape';
import { attachmentOf } from './attachment-of.js';
import { callIdsOf, checkPair, partsOfType } from './check-pairs.js';
import type { ReadFields } from './read-saved.js';
import { each } from './saved-shape.js';
import type { Mark } from './turn-tree.js';

/** A turn or a mark. */
type Node = Pick<Mark, 'id' | 'parentId'>;

/** Checks that the turns and marks form a tree, and that the head is one of its nodes. Throws a `Mismatch`. */
export function checkTree({ head, turns, marks }: Pick<ReadFields, 'head' | 'turns' | 'marks'>): void {
  const parents = new Map<string, string | null>();
  const eachNode = (act: (node: Node) => void) => {
    each('turns', turns, ({ turn }) => act(turn));
    each('marks', marks, act);
  };
  eachNode(({ id, parentId }) => {
    if (parents.has(id)) wrong('', `its id ${JSON.stringify(id)} occurs twice`);
    parents.set(id, parentId);
  });
  /** The ids whose ancestors are known to lead to the beginning, or to an unknown parent. */
  const rooted = new Set<string | null | undefined>([null, undefined]);
  eachNode(({ id, parentId }) => {
    if (parentId !== null && !parents.has(parentId))
      wrong('', `its parent ${JSON.stringify(parentId)} does not exist`);
    const trail: string[] = [];
    for (let next: string | null | undefined = id; !rooted.has(next); next = parents.get(next!))
      if (trail.push(next!) > parents.size) wrong('', 'its parents form a cycle');
    for (const one of trail) rooted.add(one);
  });
  if (head !== null && !parents.has(head)) wrong('head', `there is no turn ${JSON.stringify(head)}`);
}

/**
 * Checks that the messages of each path are a history that every provider accepts, and that the content of each attachment is present. It
 * checks the messages of each turn, and that no id occurs twice. Only sibling turns may have the same user message, because they are never
 * on the same path.
 */
export function checkMessages({ prefix, turns, attachments = {} }: ReadFields): void {
  const calls = new Set<string>();
  /** The id of each message. If it is a user message, its value is the parent of its turn. */
  const seen = new Map<string, string | null | undefined>();
  const checkAttachments = (message: Message) => {
    for (const { id } of partsOfType(message, 'attachment'))
      if (attachmentOf(attachments, id) === undefined)
        wrong('', `there is no attachment ${JSON.stringify(id)}`);
  };
  const check = (place: string, messages: readonly Message[], input?: string, parentId?: string | null) =>
    each(place, messages, (message, index) => {
      checkPair(messages[index - 1], message);
      const { id } = message;
      const beside = index === 0 && id === input ? parentId : undefined;
      if (seen.has(id) && (beside === undefined || seen.get(id) !== beside))
        wrong('', 'two messages have its id');
      seen.set(id, beside);
      const ids = callIdsOf(message);
      if (ids.length > 0 && index === messages.length - 1) wrong('', 'its tool calls have no results');
      for (const call of ids) {
        if (calls.has(call)) wrong('', `the call ${call} stands in it a second time`);
        calls.add(call);
      }
      checkAttachments(message);
    });
  check('prefix', prefix);
  each('turns', turns, ({ turn: { input, parentId }, messages }) => {
    checkAttachments(input);
    check('messages', messages, input.id, parentId);
  });
}
