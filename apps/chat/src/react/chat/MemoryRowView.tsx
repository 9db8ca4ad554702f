import type { MemoryDrawer, MemoryRow } from '../../memory/memory-drawer.js';
import type { EditedText } from '../../session/text-edit.js';
import { Icon } from '../Icon.js';
import { IconButton } from './IconButton.js';
import { TextEditor } from './TextEditor.js';

interface MemoryRowViewProps {
  readonly row: MemoryRow;
  /** The text while the user edits it; null if it is not being edited. */
  readonly edited: EditedText | null;
  readonly memory: MemoryDrawer;
}

export function MemoryRowView({ row, edited, memory }: MemoryRowViewProps) {
  const { id, text, author, isAfterNetwork, time, isPinned, isRemoved } = row;
  if (isRemoved)
    return (
      <li className="memory-row" data-removed="">
        <span className="memory-text">Removed “{text}”</span>
        <button
          type="button"
          className="button"
          data-focus={`restore-fact:${id}`}
          aria-label={`Undo: remove ${text}`}
          onClick={() => void memory.restore(row)}
        >
          Undo
        </button>
      </li>
    );
  if (edited !== null)
    return (
      <li className="memory-row" data-edited="">
        <TextEditor
          edited={edited}
          label="Fact"
          hint=""
          onWrite={memory.writeEdit}
          onSave={() => void memory.saveEdit()}
          onCancel={memory.cancelEdit}
        />
      </li>
    );
  return (
    <li className="memory-row">
      <p className="memory-text" dir="auto">
        {text}
      </p>
      <p className="memory-source" data-network={isAfterNetwork || undefined}>
        {author}
        {isAfterNetwork && <span>, after reading from the network</span>} ·{' '}
        <time dateTime={new Date(time.at).toISOString()}>{time.words}</time>
      </p>
      <span className="memory-tools" role="group" aria-label={`Fact: ${text}`}>
        <button
          type="button"
          className="icon-button"
          aria-label="Pin"
          title={isPinned ? 'Pinned: read before all others' : 'Pin'}
          aria-pressed={isPinned}
          data-focus={`pin-fact:${id}`}
          onClick={() => void memory.pin(row)}
        >
          <Icon name="pin" />
        </button>
        <IconButton
          icon="pencil"
          label="Edit"
          focusName={`edit-fact:${id}`}
          onPress={() => memory.beginEdit(row)}
        />
        <IconButton
          icon="bin"
          label="Remove"
          focusName={`remove-fact:${id}`}
          onPress={() => void memory.remove(row)}
        />
      </span>
    </li>
  );
}
