import { useSignalValue } from '@banister/react';
import type { Queue } from '../../session/queue.js';
import { startRowDrag } from '../../view/row-drag.js';
import { QueueRow } from './QueueRow.js';

/** The queued messages. */
export function QueueView({ queue }: { readonly queue: Queue }) {
  const messages = useSignalValue(queue.messages);
  const pause = useSignalValue(queue.pause);
  const canGoOn = useSignalValue(queue.canGoOn);
  const edited = useSignalValue(queue.edited);
  if (messages.length === 0) return null;
  return (
    <section className="queue" aria-label="Queue">
      <div className="queue-head">
        <p role="status">{pause}</p>
        {canGoOn && (
          <button type="button" className="button" onClick={queue.goOn}>
            Continue<span className="wide-only"> the queue</span>
          </button>
        )}
      </div>
      <ol
        className="queue-list"
        onPointerDown={(event) => startRowDrag(event.nativeEvent, event.currentTarget, queue.place)}
      >
        {messages.map((message) => (
          <QueueRow
            key={message.id}
            message={message}
            edited={edited?.id === message.id ? edited : null}
            queue={queue}
          />
        ))}
      </ol>
    </section>
  );
}
