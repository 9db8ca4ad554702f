import type { AgentSession } from '@banister/react';
import { memo } from 'react';
import type { Chat } from '../../session/chat.js';
import type { TurnGroup } from '../../view/turn-groups.js';
import { Turn } from './Turn.js';

interface TurnGroupViewProps {
  readonly group: TurnGroup;
  readonly chat: Chat;
  readonly session: AgentSession;
}

/** A group that does not change is not rendered again. */
export const TurnGroupView = memo(function TurnGroupView({ group, chat, session }: TurnGroupViewProps) {
  const { turns } = group;
  return (
    <div className="turn-group" style={{ ['--turns' as string]: turns.length }}>
      {turns.map(({ id, ...turn }) => (
        <Turn key={id} chat={chat} session={session} {...turn} />
      ))}
    </div>
  );
});
