import { useSignalValue } from '@banister/react';
import type { Branching } from '../../session/branching.js';
import { TextEditor } from './TextEditor.js';

/** The editor of a sent message. */
export function MessageEditor({ branching }: { readonly branching: Branching }) {
  const edited = useSignalValue(branching.edited);
  const hint = useSignalValue(branching.editHint);
  const canSave = useSignalValue(branching.canSaveEdit);
  if (edited === null) return null;
  return (
    <TextEditor
      edited={edited}
      label="Your message"
      hint={hint}
      canSave={canSave}
      onWrite={branching.writeEdit}
      onSave={branching.saveEdit}
      onCancel={branching.cancelEdit}
    />
  );
}
