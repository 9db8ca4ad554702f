const KEY = 'banister.chat';

/**
 * Stores which chat a tab shows: in the page's address, as `?chat=…`, and for the next visit in the storage
 * of the origin.
 */
export interface ChatPlace {
  /** The chat to begin with; null on a first visit. */
  readonly first: string | null;
  remember(id: string): void;
}

/** The places of the page. */
export interface ChatPlaces {
  readonly location: Pick<Location, 'href'>;
  readonly history: Pick<History, 'state' | 'replaceState'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

export function createChatPlace({ location, history, storage }: ChatPlaces): ChatPlace {
  const asked = new URL(location.href).searchParams.get('chat');
  return {
    first: asked === null || asked === '' ? remembered(storage) : asked,

    remember(id) {
      const url = new URL(location.href);
      url.searchParams.set('chat', id);
      // `replaceState`, so that the browser's Back leads to another page, not to another chat.
      history.replaceState(history.state, '', url);
      try {
        storage.setItem(KEY, id);
      } catch {
        // The storage is full or forbidden. The address still has the chat.
      }
    },
  };
}

function remembered(storage: ChatPlaces['storage']): string | null {
  try {
    return storage.getItem(KEY);
  } catch {
    return null;
  }
}
