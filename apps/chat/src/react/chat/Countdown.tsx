import { useEffect, useState } from 'react';

/** Seconds until no answer counts as no. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <span className="countdown" role="timer" aria-live="off">
      No answer in {seconds} s counts as no
    </span>
  );
}
