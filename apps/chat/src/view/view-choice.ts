import { signal, type ReadonlySignal } from '@banister/session/signals';
import { viewNames, type ViewName } from './chat-views.js';

const KEY = 'banister.view';

/**
 * Stores which framework draws the chat, in the page's address as `?view=vue`, and for as long as the tab
 * lives.
 */
export interface ViewChoice {
  readonly current: ReadonlySignal<ViewName>;
  choose(view: ViewName): void;
}

/** Where the choice is stored. */
export interface ChoicePlaces {
  readonly location: Pick<Location, 'href'>;
  readonly history: Pick<History, 'state' | 'replaceState'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

export function createViewChoice({ location, history, storage }: ChoicePlaces): ViewChoice {
  const asked = new URL(location.href).searchParams.get('view');
  const current = signal<ViewName>(known(asked) ?? known(remembered(storage)) ?? 'react');
  return {
    current,

    choose(view) {
      current.value = view;
      const url = new URL(location.href);
      url.searchParams.set('view', view);
      // `replaceState`, so that the browser's Back leads to another page, not to another framework.
      history.replaceState(history.state, '', url);
      try {
        storage.setItem(KEY, view);
      } catch {
        // The storage is full or forbidden. The address still has the choice.
      }
    },
  };
}

function known(name: string | null): ViewName | undefined {
  return viewNames.find((view) => view === name);
}

function remembered(storage: ChoicePlaces['storage']): string | null {
  try {
    return storage.getItem(KEY);
  } catch {
    return null;
  }
}
