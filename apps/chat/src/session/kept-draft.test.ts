import { expect, test } from 'vitest';
import { signal } from '@banister/session/signals';
import type { PageStorage } from '../chats/page-storage.js';
import { keepDraft } from './kept-draft.js';

/** A tab, whose pages come one after the other. */
function openTab() {
  const items = new Map<string, string>();
  const storage: PageStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  const load = () => {
    const page = new EventTarget();
    const text = signal('');
    const write = (next: string) => void (text.value = next);
    keepDraft({ text, write }, storage, page);
    return { text, write, leave: () => page.dispatchEvent(new Event('pagehide')) };
  };
  return { storage, load };
}

test('the next page of a tab has the text that was being written, and a page after one that was empty has none', () => {
  const { load } = openTab();
  const first = load();
  first.write('Half a thought');
  first.leave();
  const second = load();
  expect(second.text.value).toBe('Half a thought');
  second.write('');
  second.leave();
  expect(load().text.value).toBe('');
});

test('a text that finds no room in the storage does not bring an older text back', () => {
  const { load, storage } = openTab();
  const first = load();
  first.write('Short');
  first.leave();
  storage.setItem = () => {
    throw new DOMException('No room.', 'QuotaExceededError');
  };
  const second = load();
  second.write('Long');
  second.leave();
  expect(load().text.value).toBe('');
});
