import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { counted } from './counted.js';
import type { Cues } from './cues.js';
import { sizeWords, type ShownFile } from './shown-files.js';

/** The files of the message that is being written. */
export interface FileTray {
  readonly shown: ReadonlySignal<readonly ShownFile[]>;
  /** Why the last message or its files were refused; null if they were not. */
  readonly problem: ReadonlySignal<string | null>;
  add(files: Iterable<File>): void;
  remove(id: string): void;
  /** Returns the files, and empties the tray. */
  take(): readonly File[];
  /**
   * Puts back the files of a message that was refused, or that the user stopped; then there is no problem.
   */
  giveBack(files: readonly File[], problem: string | null): void;
}

interface PickedFile extends ShownFile {
  readonly file: File;
}

let count = 0;

export function createFileTray(cues: Cues): FileTray {
  const picked = signal<readonly PickedFile[]>([]);
  const problem = signal<string | null>(null);

  const put = (files: Iterable<File>): readonly PickedFile[] => {
    const added = Array.from(files, (file) => ({
      id: `picked-${++count}`,
      name: file.name,
      size: sizeWords(file.size),
      preview: file.type.startsWith('image/') ? URL.createObjectURL(file) : null,
      file,
    }));
    picked.value = [...picked.peek(), ...added];
    return added;
  };
  const forget = ({ preview }: PickedFile): void => {
    if (preview !== null) URL.revokeObjectURL(preview);
  };

  return {
    shown: computed(() => picked.value),
    problem,

    add(files) {
      problem.value = null;
      const added = put(files);
      const [first] = added;
      if (first === undefined) return;
      cues.say(`Attached ${added.length === 1 ? first.name : counted(added.length, 'file')}`);
    },

    remove(id) {
      const all = picked.peek();
      const at = all.findIndex((one) => one.id === id);
      const removed = all[at];
      if (removed === undefined) return;
      const next = all[at + 1] ?? all[at - 1];
      cues.focus(...(next ? [`file:${next.id}`] : []), 'message');
      picked.value = all.filter((one) => one !== removed);
      problem.value = null;
      forget(removed);
      cues.say(`Removed ${removed.name}`);
    },

    take() {
      const all = picked.peek();
      picked.value = [];
      problem.value = null;
      all.forEach(forget);
      return all.map(({ file }) => file);
    },

    giveBack(files, why) {
      put(files);
      problem.value = why;
    },
  };
}
