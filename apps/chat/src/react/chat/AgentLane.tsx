import { useSession, type AgentSession, type ChildTurn } from '@banister/react';
import { memo, useState } from 'react';
import type { Chat } from '../../session/chat.js';
import { isAsking, laneFocus, laneTitle, laneWords, stopLane, undoWords } from '../../session/lanes.js';
import { tellFocus } from '../../session/telling.js';
import { laneUndo } from '../../session/turn-undo.js';
import { noneAsked, turnRows } from '../../session/turn-rows.js';
import { Icon } from '../Icon.js';
import { PlanStepName } from './PlanStepName.js';
import { StepMark } from './StepMark.js';
import { StopNote } from './StopNote.js';
import { TellField } from './TellField.js';
import { TurnRows } from './TurnRows.js';
import { WaitingDots } from './WaitingDots.js';

interface AgentLaneProps {
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly child: ChildTurn;
  /** The turn that the user sent. */
  readonly turnId: string;
  /** Whether the turn that the user sent waits after an interruption, or has ended. */
  readonly isStill: boolean;
  /** The title of the step of a plan that the agent does; absent outside of a plan. */
  readonly step?: string;
  /** Distinguishes the agents of a plan. */
  readonly agentNumber?: number;
}

/**
 * The turn of an agent, as a lane below the call that it works for. It is unfolded while the turn runs. The
 * lane of an agent that did not change is not rendered again.
 */
export const AgentLane = memo(function AgentLane(props: AgentLaneProps) {
  const { chat, session, child, turnId, isStill, step, agentNumber = 0 } = props;
  const undo = useSession(session, (of) => laneUndo(of, turnId, child));
  const asks = useSession(session, (of) => isAsking(of, child));
  const told = useSession(session, () => chat.telling.textFor(child));
  const { state, title, label, status, stopLabel, tellLabel, canStop } = laneWords(child, {
    isAsking: asks,
    isStill,
    step,
  });
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? (child.outcome === null || !isStill);
  const isOver = child.outcome !== null || isStill;
  const rows = isOpen ? turnRows(child, { table: null, lines: [], isStill: isOver, asked: noneAsked }) : [];
  return (
    <div role="group" aria-label={title} className="lane" data-state={state}>
      <div className="step" data-state={state}>
        <StepMark state={state} />
        {canStop && told !== null ? (
          <TellField telling={chat.telling} child={child} text={told} />
        ) : (
          <div className="step-row">
            <button
              type="button"
              className="step-toggle"
              aria-expanded={isOpen}
              data-focus={laneFocus(child)}
              onClick={() => setChosen(!isOpen)}
            >
              {step === undefined ? (
                <span className="step-title">{title}</span>
              ) : (
                <PlanStepName
                  title={title}
                  agent={laneTitle(child)}
                  agentNumber={agentNumber}
                  word={status}
                  isGrowing={false}
                />
              )}
              <Icon name="opens" />
              {step === undefined && <span className="step-word">{status}</span>}
            </button>
            {canStop && (
              <>
                <button
                  type="button"
                  className="button lane-button"
                  aria-label={tellLabel}
                  data-focus={tellFocus(child)}
                  onClick={() => chat.telling.open(child)}
                >
                  <Icon name="joins" />
                  Tell
                </button>
                <button
                  type="button"
                  className="button lane-button"
                  aria-label={stopLabel}
                  onClick={() => stopLane(session, chat.cues, child)}
                >
                  <Icon name="stop" />
                  Stop
                </button>
              </>
            )}
            {undo !== null && (
              <button
                type="button"
                className="button lane-button"
                aria-label={`${undoWords[undo]} ${label}`}
                onClick={() => void chat.turnUndo.run(undo, turnId, child.id)}
              >
                <Icon name={undo} />
                {undoWords[undo]}
              </button>
            )}
          </div>
        )}
      </div>
      {isOpen && (
        <div className="lane-rows">
          <TurnRows rows={rows} chat={chat} session={session} record={child} isStill={isOver} />
          {!isOver && !child.rounds.at(-1)?.parts.length && <WaitingDots />}
          {child.outcome?.stop && <StopNote stop={child.outcome.stop} />}
        </div>
      )}
    </div>
  );
});
