import { expect, test, vi } from 'vitest';
import { createBackLayers } from './back-layers.js';

/** The history of a tab, with pages before the page of the app. */
function tab(layers = 0) {
  const entries: { state: unknown; url: string }[] = [
    { state: null, url: 'blank' },
    { state: null, url: 'app' },
    ...Array.from({ length: layers }, (_, at) => ({ state: { layers: at + 1 }, url: 'app' })),
  ];
  let at = entries.length - 1;
  const listeners: (() => void)[] = [];
  const history = {
    get state(): unknown {
      return entries[at]!.state;
    },
    pushState(state: unknown) {
      entries.splice(++at, Infinity, { state, url: entries[at - 1]!.url });
    },
    replaceState(state: unknown, _: string, url?: string | URL | null) {
      entries[at] = { state, url: String(url ?? entries[at]!.url) };
    },
    go(by = 0) {
      setTimeout(() => {
        at += by;
        // Another page has no listeners of this page.
        if (entries[at]!.url !== 'blank') for (const listener of listeners) listener();
      });
    },
  };
  const location = {
    get href(): string {
      return entries[at]!.url;
    },
  };
  const back = createBackLayers({
    history,
    location,
    addEventListener: (_, listener) => void listeners.push(listener),
  });
  return { back, location, history, at: () => at - 1, entries };
}

const later = () => new Promise((resolve) => setTimeout(resolve, 5));

test('audit-V14 each layer has a history entry, and Back closes the top layer', async () => {
  const { back, history, at } = tab();
  const [one, two] = [vi.fn(), vi.fn()];
  back.open(one);
  back.open(two);
  await later();
  expect(at()).toBe(2);
  history.go(-1);
  await later();
  expect([one.mock.calls.length, two.mock.calls.length, at()]).toEqual([0, 1, 1]);
});

test('audit-V14 a layer that is closed in another way removes its entry, and a layer that replaces it keeps the entry', async () => {
  const { back, at, location } = tab();
  const closed = back.open(() => {});
  await later();
  back.history.replaceState(back.history.state, '', 'app?chat=2');
  closed();
  const closedToo = back.open(() => {});
  await later();
  expect(at()).toBe(1);
  closedToo();
  await later();
  expect([at(), location.href]).toEqual([0, 'app?chat=2']);
});

test('audit-V14 a layer that opens while an entry is being removed gets an entry', async () => {
  const { back, at } = tab();
  const closed = back.open(() => {});
  await later();
  closed();
  await Promise.resolve();
  back.open(() => {});
  await later();
  expect(at()).toBe(1);
});

test('audit-V14 the entries of a reloaded page are removed', async () => {
  const { at } = tab(2);
  await later();
  expect(at()).toBe(0);
});

test('audit-V14 Back leaves the page if no layer was open any more', async () => {
  const { back, history, location } = tab();
  back.open(() => false);
  await later();
  history.go(-1);
  await later();
  await later();
  expect(location.href).toBe('blank');
});
