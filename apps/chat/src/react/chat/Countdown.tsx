import { useEffect, useState } from 'react';
import { countdownWords } from '../../session/question-words.js';

/** Seconds until no answer counts as no. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="countdown" role="timer" aria-live="off">
      {countdownWords(until, now)}
    </span>
  );
}
