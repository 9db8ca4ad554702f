import type { Subscriber } from 'rxjs';

/** Returns a signal that fires at the end of a subscription. */
export function signalOf(facts: Pick<Subscriber<unknown>, 'add'>): AbortSignal {
  const controller = new AbortController();
  facts.add(() => controller.abort());
  return controller.signal;
}
