import { useId, type KeyboardEvent } from 'react';
import { composerKey } from '../../session/composer-keys.js';
import type { EditedText } from '../../session/text-edit.js';

interface TextEditorProps {
  readonly edited: EditedText;
  readonly label: string;
  /** What saving does beyond the text, in words; empty if nothing. */
  readonly hint: string;
  readonly canSave?: boolean;
  onWrite(text: string): void;
  onSave(): void;
  onCancel(): void;
}

/** The editor of a text. */
export function TextEditor(props: TextEditorProps) {
  const { edited, label, hint, canSave = true, onWrite, onSave, onCancel } = props;
  const hintId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const key = composerKey(event.nativeEvent);
    const isInText = event.target instanceof HTMLTextAreaElement;
    if (key === 'cancel') onCancel();
    else if (!isInText) return;
    else if (key === 'send' || key === 'steer') onSave();
    else if (key !== 'held') return;
    event.preventDefault();
  };
  return (
    <form
      className="text-editor"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
      onKeyDown={onKeyDown}
    >
      <textarea
        dir="auto"
        aria-label={label}
        aria-describedby={hint === '' ? undefined : hintId}
        data-focus={`editor:${edited.id}`}
        rows={1}
        value={edited.text}
        onChange={(event) => onWrite(event.target.value)}
      />
      <div className="text-editor-foot">
        <p id={hintId} role="status">
          {hint}
        </p>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type="submit"
          className="button button-primary"
          disabled={!canSave || edited.text.trim() === ''}
        >
          Save
        </button>
      </div>
    </form>
  );
}
