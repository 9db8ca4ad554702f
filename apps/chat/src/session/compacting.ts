import type { AgentSession } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { messageOf } from '@banister/provider';
import type { Cues } from './cues.js';

/** The commands that compact a conversation, and undo that. */
export interface Compacting {
  /** False while something runs, and if the conversation has not grown after the last compaction. */
  readonly canCompact: ReadonlySignal<boolean>;
  readonly canTakeBack: ReadonlySignal<boolean>;
  compact(): void;
  takeBack(id: string): void;
}

interface CompactingOptions {
  readonly session: ReadonlySignal<AgentSession>;
  readonly cues: Cues;
}

export function createCompacting({ session, cues }: CompactingOptions): Compacting {
  /** The last message of a conversation that could not be compacted. */
  const futile = signal<string | null>(null);
  const isIdle = computed(() => {
    const { phase, isRunning, interrupted } = session.value;
    return phase.value === 'idle' && !isRunning.value && interrupted.value === null;
  });

  const run = async (command: () => Promise<string>): Promise<void> => {
    try {
      cues.say(await command());
    } catch (error) {
      cues.say(messageOf(error));
    }
  };

  return {
    canCompact: computed(() => {
      const last = lastMessage(session.value);
      if (!isIdle.value || last === null || last === futile.value) return false;
      return session.value.compactions.value.at(-1)?.last !== last;
    }),
    canTakeBack: isIdle,

    compact() {
      const of = session.peek();
      const last = lastMessage(of);
      const before = of.compactions.peek().length;
      void run(async () => {
        await of.compact();
        if (of.compactions.peek().length > before) return 'Earlier messages were compacted';
        futile.value = last;
        return 'There is nothing to compact yet';
      });
    },

    takeBack(id) {
      const of = session.peek();
      cues.focus('message');
      void run(async () => {
        await of.uncompact(id);
        return 'The compaction was taken back';
      });
    },
  };
}

/** Reads a signal. */
function lastMessage({ conversation }: AgentSession): string | null {
  return conversation.value.messages.at(-1)?.id ?? null;
}
