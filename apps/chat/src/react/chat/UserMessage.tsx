import { textOf, useSession, type AgentSession, type TurnRecord } from '@banister/react';
import type { Branching } from '../../session/branching.js';
import { canRepeat } from '../../session/can-repeat.js';
import { filesOf, sameFiles } from '../../session/shown-files.js';
import { FileList } from './FileList.js';
import { IconButton } from './IconButton.js';
import { MessageEditor } from './MessageEditor.js';
import { MessageText } from './MessageText.js';

interface UserMessageProps {
  readonly record: TurnRecord;
  readonly isEdited: boolean;
  readonly branching: Branching;
  readonly session: AgentSession;
}

/** The message of a turn. When the turn has ended, the message can be edited. */
export function UserMessage({ record, isEdited, branching, session }: UserMessageProps) {
  const files = useSession(session, (of) => filesOf(record.input, of), sameFiles);
  if (isEdited) return <MessageEditor branching={branching} />;
  const { id, input, outcome } = record;
  const text = textOf(input);
  return (
    <>
      <FileList label="Attached files" files={files} />
      <div className="user-row">
        {outcome !== null && canRepeat(record) && (
          <div className="turn-tools">
            <IconButton
              icon="pencil"
              label="Edit message"
              focusName={`edit:${id}`}
              onPress={() => branching.beginEdit(record)}
            />
          </div>
        )}
        {text !== '' && <MessageText text={text} />}
      </div>
    </>
  );
}
