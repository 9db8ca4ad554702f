// The stores of approvals that are always remembered.
import 'fake-indexeddb/auto';
import { describe, expect, it, vi } from 'vitest';
import type { Grant } from '@banister/session';
import { indexedDbGrants, memoryGrants } from '@banister/storage/grants';

const grant = (id: string): Grant => ({
  id,
  tool: 'board.move',
  definition: '{}',
  remember: 'always',
  at: 1_000,
  session: 'chat',
});

let databases = 0;

describe.each([
  ['memoryGrants', () => memoryGrants()],
  ['indexedDbGrants', () => indexedDbGrants({ name: `grants-${databases++}` })],
] as const)('%s', (_name, create) => {
  it('has none at first', async () => {
    expect(await create().load()).toEqual([]);
  });

  it('a store keeps, replaces and removes grants', async () => {
    const store = create();
    await store.put(grant('a'));
    await store.put(grant('b'));
    await store.put({ ...grant('a'), tool: 'board.add' });
    expect(await store.load()).toEqual([{ ...grant('a'), tool: 'board.add' }, grant('b')]);
  });

  it('removes a grant; an unknown one changes nothing', async () => {
    const store = create();
    await store.put(grant('a'));
    await store.remove('b');
    await store.remove('a');
    expect(await store.load()).toEqual([]);
  });

  it('calls the listener after each change, until it unsubscribes', async () => {
    const store = create();
    const changed = vi.fn();
    const leave = store.subscribe!(changed);
    await store.put(grant('a'));
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    await store.remove('a');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    leave();
    await store.put(grant('b'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it('calls a listener that was subscribed twice until it is unsubscribed twice', async () => {
    const store = create();
    const changed = vi.fn();
    const [first, second] = [store.subscribe!(changed), store.subscribe!(changed)];
    first();
    await store.put(grant('a'));
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    second();
  });
});

describe('indexedDbGrants', () => {
  it('is one store for all users of its name', async () => {
    const [one, other] = [indexedDbGrants({ name: 'shared' }), indexedDbGrants({ name: 'shared' })];
    await one.put(grant('a'));
    expect(await other.load()).toEqual([grant('a')]);
  });

  it('opens the database again if it could not be opened', async () => {
    const store = indexedDbGrants({ name: 'late' });
    const open = vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw new Error('Not now.');
    });
    await expect(store.load()).rejects.toThrow('Not now.');
    open.mockRestore();
    expect(await store.load()).toEqual([]);
  });

  it('lets another page delete the database', async () => {
    const store = indexedDbGrants({ name: 'deleted' });
    await store.put(grant('a'));
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase('deleted');
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error!);
      request.onblocked = () => reject(new Error('blocked'));
    });
    expect(await store.load()).toEqual([]);
  });
});
