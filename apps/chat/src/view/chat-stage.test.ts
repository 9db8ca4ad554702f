import { expect, test } from 'vitest';
import type { Chat } from '../session/chat.js';
import type { MountChat } from './chat-view.js';
import { createChatStage } from './chat-stage.js';
import type { ViewName } from './chat-views.js';

/** A stage whose views record each mount and unmount, and load when the test resolves them. */
function watchedStage() {
  const log: string[] = [];
  const element = { dataset: {} as Record<string, string> } as HTMLElement;
  const waiting = new Map<ViewName, { arrive(): void; fail(): void }>();
  const mountOf =
    (name: ViewName): MountChat =>
    () => {
      log.push(`mount ${name}`);
      return { unmount: () => void log.push(`unmount ${name}`) };
    };
  const stage = createChatStage(element, {} as Chat, (name) => {
    log.push(`load ${name}`);
    return new Promise((resolve, reject) => {
      waiting.set(name, {
        arrive: () => resolve({ mountChat: mountOf(name) }),
        fail: () => reject(new Error('No network.')),
      });
    });
  });
  return {
    stage,
    element,
    log,
    /** Resolves when all pending work is done. */
    rest: () => new Promise((resolve) => setImmediate(resolve)),
    arrive: (name: ViewName) => waiting.get(name)!.arrive(),
    fail: (name: ViewName) => waiting.get(name)!.fail(),
  };
}

test('the previous view stays until the next view has loaded, and is removed before the next view is drawn', async () => {
  const { stage, element, log, rest, arrive } = watchedStage();
  void stage.show('react');
  await rest();
  arrive('react');
  await rest();
  expect(element.dataset['view']).toBe('react');
  void stage.show('vue');
  await rest();
  expect(log).toEqual(['load react', 'mount react', 'load vue']);
  arrive('vue');
  await rest();
  expect(log.slice(3)).toEqual(['unmount react', 'mount vue']);
  expect(element.dataset['view']).toBe('vue');
});

test('if several views are requested while one loads, only the last is drawn', async () => {
  const { stage, log, rest, arrive } = watchedStage();
  void stage.show('vue');
  await rest();
  void stage.show('react');
  arrive('vue');
  await rest();
  arrive('react');
  await rest();
  expect(log).toEqual(['load vue', 'load react', 'mount react']);
});

test('if no view is requested while one loads, nothing is drawn', async () => {
  const { stage, log, rest, arrive } = watchedStage();
  void stage.show('vue');
  await rest();
  void stage.show(null);
  arrive('vue');
  await rest();
  expect(log).toEqual(['load vue']);
});

test('the current view is not drawn again', async () => {
  const { stage, log, rest, arrive } = watchedStage();
  void stage.show('vue');
  await rest();
  arrive('vue');
  await stage.show('vue');
  void stage.show(null);
  await stage.show('vue');
  expect(log).toEqual(['load vue', 'mount vue']);
});

test('a view that cannot be loaded rejects, and the previous view stays', async () => {
  const { stage, element, log, rest, arrive, fail } = watchedStage();
  void stage.show('react');
  await rest();
  arrive('react');
  await rest();
  const shown = stage.show('vue');
  await rest();
  fail('vue');
  await expect(shown).rejects.toThrow('No network.');
  expect(log).toEqual(['load react', 'mount react', 'load vue']);
  expect(element.dataset['view']).toBe('react');
  // The next request loads it again.
  void stage.show('vue');
  await rest();
  arrive('vue');
  await rest();
  expect(element.dataset['view']).toBe('vue');
});
