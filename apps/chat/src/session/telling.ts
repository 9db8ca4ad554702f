import { effect, type ChildTurn, type LocalAgentSession } from '@banister/session';
import { findChild } from '@banister/session/operations';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { GuideLine } from '../guide/guide-line.js';
import type { Composer } from './composer.js';
import type { Cues } from './cues.js';
import { laneTitle } from './lanes.js';

/** A child turn in whose lane the user writes. */
type Lane = Pick<ChildTurn, 'id'>;

/** The messages of the user to single agents of the running turn, each written in the lane of its agent. */
export interface Telling {
  /** Returns the text in the field of a lane; null while the field is closed. Reads a signal. */
  textFor(lane: Lane): string | null;
  open(lane: Lane): void;
  write(lane: Lane, text: string): void;
  /** Closes the field, and drops its text. */
  close(lane: Lane): void;
  /** Sends the text in the field to the agent, and closes the field. Does nothing without a text. */
  send(lane: Lane): void;
}

interface TellingOptions {
  readonly session: ReadonlySignal<LocalAgentSession>;
  readonly composer: Pick<Composer, 'keep' | 'tell'>;
  readonly guide: Pick<GuideLine, 'say'>;
  readonly cues: Pick<Cues, 'focus'>;
}

/** The texts in the open fields, by the id of the child turn. */
type Texts = Readonly<Record<string, string>>;

/** Returns the words of the field for an agent. */
export function tellWords(child: Pick<ChildTurn, 'title' | 'agent'>) {
  const title = laneTitle(child);
  return {
    label: `Tell ${title}`,
    send: `Send to ${title}`,
    close: `Close the field for ${title}`,
  } as const;
}

/** Returns the name under which the focus finds the field of a lane. */
export function fieldFocus({ id }: Lane): string {
  return `tell:${id}`;
}

/** Returns the name under which the focus finds the button that closes the field of a lane. */
export function closeFocus({ id }: Lane): string {
  return `untell:${id}`;
}

/** Returns the name under which the focus finds the button that opens the field of a lane. */
export function tellFocus({ id }: Lane): string {
  return `teller:${id}`;
}

export function createTelling({ session, composer, guide, cues }: TellingOptions): Telling {
  const texts = signal<Texts>({});
  const set = (id: string, text: string | null): void => {
    const { [id]: _old, ...others } = texts.peek();
    texts.value = text === null ? others : { ...others, [id]: text };
  };

  const ended = computed(() => {
    const ids = Object.keys(texts.value);
    if (ids.length === 0) return [];
    const { turns, liveTurn } = session.value;
    const state = { turns: turns.value, liveTurn: liveTurn.value };
    return ids.flatMap((id) => {
      const child = findChild(state, id);
      return child !== undefined && child.outcome !== null ? [child] : [];
    });
  });
  /** Moves the texts for agents that have ended to the message field, and says so. */
  const giveBack = (): void => {
    const words = ended.peek().flatMap((child) => {
      const text = texts.peek()[child.id]!.trim();
      set(child.id, null);
      if (text === '') return [];
      composer.keep(text);
      return `${laneTitle(child)} ended before it could read your message.`;
    });
    if (words.length > 0) guide.say('answer', `${words.join(' ')} The text is in the field below.`);
  };
  effect(() => {
    // An effect that runs inside another effect's publication must not publish into it.
    if (ended.value.length > 0) queueMicrotask(giveBack);
  });

  /** Puts a message that was not read back into the field of its lane, in front of a newer text. */
  const putBack = (id: string, message: string): void => {
    const newer = texts.peek()[id]?.trim() ?? '';
    set(id, newer === '' ? message : `${message} ${newer}`);
  };

  return {
    textFor: ({ id }) => texts.value[id] ?? null,

    open(lane) {
      set(lane.id, texts.peek()[lane.id] ?? '');
      cues.focus(fieldFocus(lane));
    },

    write: ({ id }, text) => set(id, text),

    close(lane) {
      set(lane.id, null);
      cues.focus(tellFocus(lane));
    },

    send(lane) {
      const { id } = lane;
      const message = texts.peek()[id]?.trim() ?? '';
      if (message === '') return;
      const of = session.peek();
      set(id, null);
      cues.focus(tellFocus(lane));
      of.steer(message, { child: id }).then(
        (result) => {
          // The user may have removed the message from the queue. Then the agent goes on.
          const isRemoved = findChild(of.state, id)?.outcome === null;
          if (result === 'cancelled' && !isRemoved) putBack(id, message);
        },
        (error: unknown) => {
          putBack(id, message);
          composer.tell(error);
        },
      );
    },
  };
}
