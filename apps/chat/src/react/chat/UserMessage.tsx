import { textOf, type TurnRecord } from '@handrail/react';
import type { Branching } from '../../session/branching.js';
import { visibleText } from '../../text/visible-text.js';
import { IconButton } from './IconButton.js';
import { MessageEditor } from './MessageEditor.js';

interface UserMessageProps {
  readonly record: TurnRecord;
  readonly isEdited: boolean;
  readonly branching: Branching;
}

/** The message of a turn. Once the turn has ended, it can be changed in its place. */
export function UserMessage({ record, isEdited, branching }: UserMessageProps) {
  if (isEdited) return <MessageEditor branching={branching} />;
  const { id, input, outcome } = record;
  return (
    <div className="user-row">
      {outcome !== null && (
        <div className="turn-tools">
          <IconButton
            icon="pencil"
            label="Edit message"
            focusName={`edit:${id}`}
            onPress={() => branching.beginEdit(record)}
          />
        </div>
      )}
      <p className="user-message">{visibleText(textOf(input))}</p>
    </div>
  );
}
