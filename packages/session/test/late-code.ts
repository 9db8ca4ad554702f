import { vi } from 'vitest';
import { LazyCode } from '../src/ports/lazy-code.js';
import { sessionCode } from '../src/session/session-code.js';

/** The code of sessions, which is on its way. */
export interface LateCode {
  /** Ends the wait of sessions for it. */
  arrive(): void;
  /** Has sessions find it loaded again. */
  restore(): void;
}

/**
 * Has sessions wait for their code, as those of a page do when it begins.
 *
 * @param failures the number of fetches that fail first
 */
export function lateCode(failures = 0): LateCode {
  const loaded = sessionCode.loaded!;
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let fetches = 0;
  const late = new LazyCode(async () => {
    if (++fetches <= failures) throw new Error('Failed to fetch');
    await arrived;
    return loaded;
  });
  const spies = [
    vi.spyOn(sessionCode, 'loaded', 'get').mockImplementation(() => late.loaded),
    vi.spyOn(sessionCode, 'get').mockImplementation((clock) => late.get(clock)),
  ];
  return {
    arrive,
    restore: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
