import type { ErrorData } from '@banister/react';
import { visibleText } from '../../text/visible-text.js';

interface TurnErrorProps {
  /** null for a turn that the user stopped, because that is not an error. */
  readonly error: ErrorData | null;
  /** Whether the error is new. The error of a restored turn is shown, but not as an alert. */
  readonly isNews: boolean;
}

export function TurnError({ error, isNews }: TurnErrorProps) {
  if (error === null) return null;
  return (
    <p className="problem turn-error" role={isNews ? 'alert' : undefined}>
      {visibleText(error.message)}
    </p>
  );
}
