import { useSignalValue, type AgentSession, type Confirmation } from '@handrail/react';
import { useEffect, useRef, useState } from 'react';
import { approveWith, argumentsText } from '../../session/edited-arguments.js';
import { ConfirmationCard } from './ConfirmationCard.js';
import type { Describe } from './describe.js';

interface ConfirmationsProps {
  readonly session: AgentSession;
  readonly describe: Describe;
}

type Texts = Readonly<Record<string, string>>;
type Errors = Readonly<Record<string, readonly string[]>>;

/** What waits on the user. All requests are open at once; each can be answered by itself. */
export function Confirmations({ session, describe }: ConfirmationsProps) {
  const asked = useSignalValue(session.pendingConfirmations).filter(
    ({ answeredBy }) => answeredBy === 'signal',
  );
  const [texts, setTexts] = useState<Texts>({});
  const [errors, setErrors] = useState<Errors>({});
  const root = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);

  // The button that was pressed is gone: go on with the next question, or back to the message.
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    const next = root.current?.querySelector<HTMLElement>('[data-approve]');
    (next ?? document.querySelector<HTMLElement>('[data-message]'))?.focus();
  }, [asked.length]);

  if (asked.length === 0) return null;
  const textOf = (confirmation: Confirmation) => texts[confirmation.id] ?? argumentsText(confirmation);
  const approve = (confirmation: Confirmation) => {
    hadFocus.current = true;
    const found = approveWith(confirmation, textOf(confirmation));
    setErrors((known) => ({ ...known, [confirmation.id]: found }));
  };
  return (
    <section className="confirmations" aria-label="Questions" ref={root}>
      {asked.length > 1 && (
        <header className="confirmations-header">
          <p>{asked.length} changes wait for you</p>
          <button type="button" className="button button-primary" onClick={() => asked.forEach(approve)}>
            Approve all
          </button>
        </header>
      )}
      {asked.map((confirmation) => (
        <ConfirmationCard
          key={confirmation.id}
          confirmation={confirmation}
          summary={describe(confirmation.call)}
          text={textOf(confirmation)}
          errors={errors[confirmation.id] ?? []}
          onEdit={(text) => setTexts({ ...texts, [confirmation.id]: text })}
          onApprove={() => approve(confirmation)}
          onDeny={() => {
            hadFocus.current = true;
            confirmation.deny();
          }}
        />
      ))}
    </section>
  );
}
