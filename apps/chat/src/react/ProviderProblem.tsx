import { useEffect, useRef } from 'react';

interface ProviderProblemProps {
  readonly problem: string;
  onDone(): void;
}

/** Shows why the provider that the user chose is not in use. */
export function ProviderProblem({ problem, onDone }: ProviderProblemProps) {
  const panel = useRef<HTMLElement>(null);
  // A user who chose the provider by keyboard continues here.
  useEffect(() => panel.current?.focus(), []);

  return (
    <section className="provider-settings" aria-label="Provider" tabIndex={-1} ref={panel}>
      <p role="alert" className="problem">
        {problem}
      </p>
      <div className="row-end">
        <button type="button" className="button" onClick={onDone}>
          Close
        </button>
      </div>
    </section>
  );
}
