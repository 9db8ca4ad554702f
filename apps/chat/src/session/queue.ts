import { effect, type AgentSession, type Operation } from '@banister/session';
import { findChild } from '@banister/session/operations';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { AttachedFile } from '@banister/provider';
import type { Composer } from './composer.js';
import { counted } from './counted.js';
import type { Cues } from './cues.js';
import { laneTitle } from './lanes.js';
import { queuedWords } from '../tasks/task-words.js';
import { withFiles } from './shown-files.js';
import { createTextEdit, type EditedText } from './text-edit.js';

/** A queued message, as its row shows it. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** Whether it joins the running turn, or the work of one agent, at the next step. It can only be removed. */
  readonly isSteering: boolean;
  /** Whether the user wrote it, and can edit it. */
  readonly canEdit: boolean;
  readonly note: string;
  readonly canMoveUp: boolean;
  readonly canMoveDown: boolean;
}

/** The queued messages. */
export interface Queue {
  readonly messages: ReadonlySignal<readonly QueuedMessage[]>;
  /** Why the queue is paused; null if it is not. */
  readonly pause: ReadonlySignal<string | null>;
  /** The message that was queued last; null until there is one. */
  readonly arrived: ReadonlySignal<string | null>;
  /** False while an interrupted turn waits too, because that turn ends first. */
  readonly canGoOn: ReadonlySignal<boolean>;
  /** The message that the user is editing. */
  readonly edited: ReadonlySignal<EditedText | null>;
  goOn(): void;
  move(id: string, direction: 'up' | 'down'): void;
  /** @param before the message after the new place; null for the end */
  place(id: string, before: string | null): void;
  remove(id: string): void;
  beginEdit(message: QueuedMessage): void;
  writeEdit(text: string): void;
  cancelEdit(): void;
  saveEdit(): void;
}

interface QueueOptions {
  readonly session: ReadonlySignal<AgentSession>;
  readonly composer: Composer;
  readonly cues: Cues;
}

const pauses = {
  cancelled: 'Paused: you stopped the turn.',
  failed: 'Paused: the turn failed.',
  interrupted: 'Paused: the turn was interrupted.',
  headMoved: 'Paused: you went to another version.',
  dequeued: 'Paused: a message could not be sent.',
  loaded: 'Paused: the page was closed or loaded again.',
} as const;

export function createQueue({ session, composer, cues }: QueueOptions): Queue {
  const edit = createTextEdit();
  const cause = signal<keyof typeof pauses>('loaded');
  effect(() => followCause(session.value, (met) => (cause.value = met)));
  effect(() => followArrivals(session.value, (id, words) => arrive(id, words)));

  const arrived = signal<string | null>(null);
  const arrive = (id: string, words: string): void => {
    arrived.value = id;
    cues.say(words);
  };

  const messages = computed(() => {
    const items = session.value.queue.value;
    const isPaused = session.value.queuePaused.value;
    const first = items.findIndex(({ steering }) => !steering);
    return items.map(({ id, input, steering, child, from }, index): QueuedMessage => ({
      id,
      text: queuedWords({ input, from }),
      files: typeof input === 'string' ? [] : (input.files ?? []),
      isSteering: steering,
      canEdit: !steering && from === undefined,
      note: [
        ...(steering ? [joinWords(session.value, child)] : index === first && !isPaused ? ['Next'] : []),
        ...(typeof input === 'string' || !input.files?.length ? [] : [counted(input.files.length, 'file')]),
      ].join(' · '),
      canMoveUp: !steering && index > first,
      canMoveDown: !steering && index < items.length - 1,
    }));
  });

  const edited = computed(() => {
    const text = edit.current.value;
    return text && messages.value.some(({ id, isSteering }) => id === text.id && !isSteering) ? text : null;
  });
  // The turn began with the old text, so the edited text is kept for a new message.
  effect(() => {
    const text = edit.current.value;
    if (text === null || edited.value !== null) return;
    if (composer.text.peek() === '') composer.write(text.text);
    edit.end();
  });

  const move = (id: string, to: number): void => {
    const others = messages.peek().filter((message) => message.id !== id);
    void session.peek().requeue(id, { before: others[to]?.id ?? null });
    cues.say(`Moved to place ${to + 1} of ${others.length + 1}`);
  };
  const indexOf = (id: string): number => messages.peek().findIndex((message) => message.id === id);

  return {
    messages,
    arrived,
    pause: computed(() => (session.value.queuePaused.value ? pauses[cause.value] : null)),
    canGoOn: computed(() => session.value.queuePaused.value && session.value.interrupted.value === null),
    edited,

    goOn() {
      void session.peek().resumeQueue();
      cues.focus('message');
    },

    move(id, direction) {
      cues.focus(`actions:${id}`);
      move(id, indexOf(id) + (direction === 'up' ? -1 : 1));
    },

    place(id, before) {
      const others = messages.peek().filter((message) => message.id !== id);
      const to = before === null ? others.length : others.findIndex((message) => message.id === before);
      if (to !== indexOf(id)) move(id, to);
    },

    remove(id) {
      const at = indexOf(id);
      const others = messages.peek().filter((message) => message.id !== id);
      const next = others[at] ?? others[at - 1];
      cues.focus(...(next ? [`actions:${next.id}`] : []), 'message');
      void session.peek().dequeue(id);
      cues.say('Removed from the queue');
    },

    beginEdit({ id, text }) {
      edit.begin(id, text);
      cues.focus(`editor:${id}`);
    },

    writeEdit: (text) => edit.write(text),

    cancelEdit() {
      const id = edit.current.peek()?.id;
      edit.end();
      cues.focus(`actions:${id}`, 'message');
    },

    saveEdit() {
      const changed = edited.peek();
      const text = changed?.text.trim() ?? '';
      if (changed === null || text === '') return;
      const files = messages.peek().find(({ id }) => id === changed.id)?.files ?? [];
      void session.peek().requeue(changed.id, { input: withFiles(text, files) });
      edit.end();
      cues.focus(`actions:${changed.id}`, 'message');
    },
  };
}

/** Follows messages that are queued from now on. Returns the function that stops following. */
function followArrivals(of: AgentSession, arrive: (id: string, words: string) => void): () => void {
  const subscription = of.operations$.subscribe((operation: Operation) => {
    if (operation.type !== 'queued') return;
    const { id, steering, child } = operation;
    const place = of.state.queue.findIndex((item) => item.id === id) + 1;
    arrive(id, steering ? joinWords(of, child) : `In the queue, place ${place}`);
  });
  return () => subscription.unsubscribe();
}

/** Follows operations that pause a queue. Returns the function that stops following. */
function followCause({ operations$ }: AgentSession, meet: (cause: keyof typeof pauses) => void): () => void {
  const subscription = operations$.subscribe((operation: Operation) => {
    const { type } = operation;
    if (type === 'failed' && operation.error.code === 'interrupted') meet('interrupted');
    else if (type === 'cancelled' || type === 'failed' || type === 'headMoved') meet(type);
    else if (type === 'dequeued' && operation.reason === 'refused') meet(type);
    else if (type === 'ownerChanged') meet('loaded');
  });
  return () => subscription.unsubscribe();
}

/**
 * Returns when a steering message joins, and whose work.
 *
 * @param child the child turn of the agent that the message is for; undefined for the turn of the user
 */
function joinWords({ state }: AgentSession, child: string | undefined): string {
  if (child === undefined) return 'Joins at the next step';
  const found = findChild(state, child);
  return found ? `For ${laneTitle(found)}, next step` : 'For an agent, next step';
}
