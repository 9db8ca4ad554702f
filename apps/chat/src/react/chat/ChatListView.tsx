import { useSignalValue } from '@banister/react';
import type { ChatList } from '../../chats/chat-list.js';
import { searchField } from '../../chats/search-field.js';
import type { PastChanges } from '../../session/past-changes.js';
import { Icon } from '../Icon.js';
import { IconButton } from './IconButton.js';
import { ChatRowView } from './ChatRowView.js';

interface ChatListViewProps {
  readonly chats: ChatList;
  readonly pastChanges: PastChanges;
}

/** All chats, over the conversation. */
export function ChatListView({ chats, pastChanges }: ChatListViewProps) {
  const isOpen = useSignalValue(chats.isOpen);
  const rows = useSignalValue(chats.rows);
  const summary = useSignalValue(chats.summary);
  const search = useSignalValue(chats.search);
  const renamed = useSignalValue(chats.renamed);
  const problem = useSignalValue(chats.renameProblem);
  if (!isOpen) return null;
  return (
    <div className="chat-over chat-list" role="dialog" aria-label="All chats">
      <div className="chat-find">
        <Icon name="find" />
        <input {...searchField} value={search} onChange={(event) => chats.find(event.target.value)} />
        <IconButton icon="remove" label="Close" focusName="chats-close" onPress={chats.close} />
      </div>
      <p className={rows.length === 0 ? 'chat-none' : 'visually-hidden'} role="status">
        {summary}
      </p>
      <p className="chat-problem" role="alert">
        {problem}
      </p>
      <ul className="chat-rows" aria-label="Chats">
        {rows.map((row) => (
          <ChatRowView
            key={row.id}
            row={row}
            renamed={renamed?.id === row.id ? renamed.text : null}
            chats={chats}
          />
        ))}
      </ul>
      <p className="chat-list-foot">
        Kept on this device.{' '}
        <button type="button" className="link-button" onClick={pastChanges.startFresh}>
          Put the board back to the start
        </button>
      </p>
    </div>
  );
}
