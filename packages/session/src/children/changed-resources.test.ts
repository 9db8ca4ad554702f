import { describe, expect, it } from 'vitest';
import { ChangedResources, type Reader } from './changed-resources.js';

const reader = (): Reader => ({ read: 0, refused: new Map() });

describe('resources that other agents changed', () => {
  it('agents C24 a call is refused if another agent has changed its resource since the last request', () => {
    const changes = new ChangedResources<string>();
    const a = reader();
    changes.requested(a);
    changes.changed('b', ['card 1']);
    changes.changed('c', ['card 1', 'card 2']);
    expect(changes.refusal('a', a, ['card 3'])).toBeNull();
    expect(changes.refusal('a', a, ['card 3', 'card 1'])).toEqual({ by: 'c', name: 'card 1' });
    changes.requested(a);
    expect(changes.refusal('a', a, ['card 1'])).toBeNull();
  });

  it("agents C24 an agent's own changes do not refuse its calls", () => {
    const changes = new ChangedResources<string>();
    const a = reader();
    changes.changed('a', ['card 1']);
    expect(changes.refusal('a', a, ['card 1'])).toBeNull();
    changes.changed('b', ['card 1']);
    changes.changed('a', ['card 1']);
    expect(changes.refusal('a', a, ['card 1'])).toEqual({ by: 'b', name: 'card 1' });
  });

  it('agents C24 the third call runs, and the next change refuses two calls again', () => {
    const changes = new ChangedResources<string>();
    const a = reader();
    const attempts: boolean[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      changes.requested(a);
      changes.changed('b', ['card 1']);
      attempts.push(changes.refusal('a', a, ['card 1']) === null);
    }
    expect(attempts).toEqual([false, false, true, false, false, true]);
  });
});
