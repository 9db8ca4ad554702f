import { defined } from '@banister/provider/internal/json/defined';
import { noteBegun } from '../state/begun-commands.js';
import { append, set, type Change } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';
import { givenKey, isGiven, queuePaused } from './queue-notes.js';
import { openPartsPath } from '../state/round-handlers.js';
import type { BegunNote, FoldState, QueueItem } from '../state/session-state.js';
import { noteTurn } from '../state/turn-notes.js';

/** Handlers of the messages that wait for a turn, or join a running turn. */
export const queueHandlers = {
  queued: (state, { id, input, from, options, steering, child, before, given, command }) => {
    const item = defined({ id, input, from, steering, child, options });
    const queue = placed(without(state, id), item, before);
    // Behind interrupted work, the message waits for the end of that work, and then for the user, like the earlier messages.
    return [
      ...queueSet(queue),
      ...(given ? [givenSet(id, '')] : []),
      ...(state.interrupted === null ? [] : queuePaused({ queue })),
      ...(command === undefined ? [] : noteBegun(state, (note) => note.id === command, { item: id })),
    ];
  },

  dequeued: (state, { id, reason, target }) => {
    const queue = without(state, id);
    return [
      ...queueSet(queue),
      ...(reason === 'started' ? [set(['fold', 'starting'], itemOf(state, id))] : []),
      ...(reason === 'refused' ? queuePaused({ queue }) : []),
      ...(isGiven(state, id) ? [givenSet(id, reason === 'refused' ? null : (target ?? ''))] : []),
      ...itemLeft(state, id, reason === 'started' ? defined({ turn: target }) : { left: reason }),
    ];
  },

  queueResumed: () => [set(['queuePaused'], false)],

  steered: (state, { id, message }) => [
    append(['conversation', 'messages'], message),
    append(['liveTurn', 'messageIds'], message.id),
    append(openPartsPath(state), { type: 'steering', message }),
    // The last answer is not the final answer any more.
    ...noteTurn(state, () => ({ ending: null })),
    ...queueSet(without(state, id)),
    ...itemLeft(state, id, { left: 'joined' }),
  ],
} satisfies Partial<AllHandlers>;

/**
 * Returns the changes of the queue when the log has another owner: the queue pauses, and a message whose turn had not begun is in the queue
 * again.
 */
export function queueOfOwner(state: FoldState): readonly Change[] {
  const { starting } = state.fold;
  if (starting === null) return queuePaused(state);
  const queue = [starting, ...state.queue];
  return [set(['queue'], queue), set(['fold', 'starting'], null), ...queuePaused({ queue })];
}

/** Returns the change of the note of the command that put a message into the queue. */
function itemLeft(state: FoldState, id: string, left: Partial<BegunNote>): readonly Change[] {
  return noteBegun(state, ({ item }) => item === id, left);
}

/** Returns the change of the note of a message whose id the app gave. */
function givenSet(id: string, note: string | null): Change {
  return set(['fold', 'given', givenKey(id)], note);
}

function itemOf({ queue }: FoldState, id: string): QueueItem | null {
  return queue.find((item) => item.id === id) ?? null;
}

function without({ queue }: FoldState, id: string): readonly QueueItem[] {
  return queue.filter((item) => item.id !== id);
}

/** Returns the queue with an item placed before another item, or at the end. Items that steer come first. */
function placed(queue: readonly QueueItem[], item: QueueItem, before: string | null): readonly QueueItem[] {
  const found = queue.findIndex(({ id }) => id === before);
  const place = found < 0 ? queue.length : found;
  const all = [...queue.slice(0, place), item, ...queue.slice(place)];
  return [...all.filter(({ steering }) => steering), ...all.filter(({ steering }) => !steering)];
}

function queueSet(queue: readonly QueueItem[]): readonly Change[] {
  return [set(['queue'], queue), ...(queue.length === 0 ? [set(['queuePaused'], false)] : [])];
}
