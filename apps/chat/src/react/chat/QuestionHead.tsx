import { useSignalValue } from '@banister/react';
import type { Chat } from '../../session/chat.js';
import { bulkLabel, listWords, placeWords } from '../../session/question-words.js';
import { Icon } from '../Icon.js';

/**
 * The head of the list, with actions for all questions; on a small screen, the navigation from question to
 * question.
 */
export function QuestionHead({
  chat: { questions, grip, gripClock, interruption, tasks },
}: {
  readonly chat: Chat;
}) {
  const rows = useSignalValue(questions.rows);
  const open = useSignalValue(questions.open);
  const light = useSignalValue(questions.light);
  const current = useSignalValue(questions.current);
  const clock = useSignalValue(gripClock);
  const notice = useSignalValue(interruption.notice);
  const isHeld = useSignalValue(questions.isHeld);
  const isOne = open.length === 1;
  const at = open.findIndex(({ id }) => id === current?.id);
  const bulk = bulkLabel(open, light);
  return (
    <header className="questions-head" data-one={isOne}>
      <h3>
        <span className="for-list">{listWords(open)}</span>
        <span className="for-one">{placeWords(rows, current?.id)}</span>
        {notice !== null && <small className="for-one">{notice.detail}</small>}
        {clock !== '' && (
          <small className="questions-clock" aria-hidden="true">
            {clock}
          </small>
        )}
      </h3>
      <span className="questions-hint" aria-hidden="true">
        <kbd>F6</kbd>
        {!isOne && (
          <span className="questions-arrows">
            <kbd>↑</kbd>
            <kbd>↓</kbd>
          </span>
        )}
      </span>
      {(clock !== '' || !isOne) && (
        <div className="questions-all">
          {clock !== '' && (
            <button
              type="button"
              className="button button-quiet"
              aria-pressed={isHeld}
              title="Ten minutes more at most"
              onClick={questions.hold}
            >
              Wait
            </button>
          )}
          {!isOne && (
            <button type="button" className="button button-quiet" onClick={questions.refuseAll}>
              Refuse all
            </button>
          )}
          {bulk !== null && (
            <button
              type="button"
              className="button"
              aria-keyshortcuts="A"
              onClick={() => void questions.approveLight()}
            >
              {bulk} <kbd aria-hidden="true">A</kbd>
            </button>
          )}
        </div>
      )}
      {!isOne && (
        <>
          <button
            type="button"
            className="icon-button for-one"
            aria-label="Previous question"
            disabled={at <= 0}
            onClick={() => questions.step(-1)}
          >
            <Icon name="previous" />
          </button>
          <button
            type="button"
            className="icon-button for-one"
            aria-label="Next question"
            disabled={at === open.length - 1}
            onClick={() => questions.step(1)}
          >
            <Icon name="next" />
          </button>
        </>
      )}
      <button
        type="button"
        className="button button-stop for-one"
        onClick={() => tasks.stopAsking() || grip.stop()}
      >
        {notice === null && <Icon name="stop" />}
        {notice === null ? 'Stop' : 'Take back'}
      </button>
    </header>
  );
}
