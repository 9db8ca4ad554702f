import type { Queue, QueuedMessage } from '../../session/queue.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';

interface QueueMenuProps {
  readonly message: QueuedMessage;
  readonly queue: Queue;
}

/** The actions for a queued message. */
export function QueueMenu({ message, queue }: QueueMenuProps) {
  const { id, text, isSteering, canEdit, canMoveUp, canMoveDown } = message;
  const label = `Actions for ${visibleText(text)}`;
  const menuId = `queue-menu-${id}`;
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        title="Edit, move or remove"
        aria-haspopup="menu"
        popoverTarget={menuId}
        data-focus={`actions:${id}`}
      >
        <Icon name="more" />
      </button>
      <div id={menuId} popover="auto" role="menu" aria-label={label} className="menu">
        {!isSteering && (
          <>
            {canEdit && (
              <button type="button" role="menuitem" tabIndex={-1} onClick={() => queue.beginEdit(message)}>
                Edit
              </button>
            )}
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={!canMoveUp}
              onClick={() => queue.move(id, 'up')}
            >
              Up
            </button>
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={!canMoveDown}
              onClick={() => queue.move(id, 'down')}
            >
              Down
            </button>
          </>
        )}
        <button type="button" role="menuitem" tabIndex={-1} onClick={() => queue.remove(id)}>
          Remove
        </button>
      </div>
    </>
  );
}
