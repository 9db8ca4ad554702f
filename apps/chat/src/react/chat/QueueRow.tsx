import type { Queue, QueuedMessage } from '../../session/queue.js';
import type { EditedText } from '../../session/text-edit.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { QueueMenu } from './QueueMenu.js';
import { TextEditor } from './TextEditor.js';

interface QueueRowProps {
  readonly message: QueuedMessage;
  /** The text of the message while the user edits it. */
  readonly edited: EditedText | null;
  readonly queue: Queue;
}

export function QueueRow({ message, edited, queue }: QueueRowProps) {
  const { id, text, isSteering, note } = message;
  if (edited) {
    return (
      <li className="queue-row" data-edited="">
        <TextEditor
          edited={edited}
          label="Queued message"
          hint=""
          onWrite={queue.writeEdit}
          onSave={queue.saveEdit}
          onCancel={queue.cancelEdit}
        />
      </li>
    );
  }
  return (
    <li
      className="queue-row"
      data-id={id}
      data-row={isSteering ? undefined : id}
      data-steering={isSteering || undefined}
    >
      <span className="queue-grip" data-grip={isSteering ? undefined : ''}>
        <Icon name={isSteering ? 'joins' : 'waits'} />
      </span>
      <span className="queue-text" dir="auto">
        {visibleText(text)}
      </span>
      {note !== '' && <span className="queue-note">{note}</span>}
      <QueueMenu message={message} queue={queue} />
    </li>
  );
}
