import { useSignalValue } from '@banister/react';
import { LONGEST_FACT, type MemoryDrawer } from '../../memory/memory-drawer.js';
import { memoryAddKey } from '../../view/memory-keys.js';
import { Icon } from '../Icon.js';
import { IconButton } from './IconButton.js';
import { MemoryRowView } from './MemoryRowView.js';

/** What the agent remembers, over the conversation. */
export function MemoryDrawerView({ memory }: { readonly memory: MemoryDrawer }) {
  const isOpen = useSignalValue(memory.isOpen);
  const rows = useSignalValue(memory.rows);
  const summary = useSignalValue(memory.summary);
  const draft = useSignalValue(memory.draft);
  const edited = useSignalValue(memory.edited);
  const problem = useSignalValue(memory.problem);
  const isUnread = useSignalValue(memory.isUnread);
  if (!isOpen) return null;
  return (
    <div
      className="chat-over memory"
      role="dialog"
      tabIndex={-1}
      aria-label="What the agent remembers"
      data-focus="memory-drawer"
    >
      <header className="memory-head">
        <Icon name="memory" />
        <h3>What the agent remembers</h3>
        <IconButton icon="remove" label="Close" focusName="memory-close" onPress={memory.close} />
      </header>
      <form
        className="memory-add"
        onSubmit={(event) => {
          event.preventDefault();
          void memory.add();
        }}
      >
        <textarea
          dir="auto"
          rows={1}
          maxLength={LONGEST_FACT}
          aria-label="New fact"
          placeholder="Add a fact"
          data-focus="memory-new"
          value={draft}
          onChange={(event) => memory.write(event.target.value)}
          onKeyDown={(event) => memoryAddKey(event.nativeEvent, memory)}
        />
        <button type="submit" className="button" disabled={draft.trim() === ''}>
          Add
        </button>
      </form>
      <div className="memory-problem">
        <p role="alert">{problem}</p>
        {isUnread && (
          <button type="button" className="button" onClick={() => void memory.read()}>
            Try again
          </button>
        )}
      </div>
      <p className={rows.length === 0 && summary !== '' ? 'chat-none' : 'visually-hidden'} role="status">
        {summary}
      </p>
      <ul className="chat-rows" aria-label="Facts">
        {rows.map((row) => (
          <MemoryRowView
            key={row.id}
            row={row}
            edited={edited?.id === row.id ? edited : null}
            memory={memory}
          />
        ))}
      </ul>
      <p className="chat-list-foot">Kept on this device, for all chats.</p>
    </div>
  );
}
