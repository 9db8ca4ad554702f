import type { PageStorage } from '../chats/page-storage.js';
import type { Composer } from './composer.js';

const KEY = 'banister.draft';

/**
 * Keeps the text that is being written when its tab is loaded again. Its files are not kept: a page cannot take them up again.
 *
 * @param tab the storage of this tab alone
 */
export function keepDraft(
  { text, write }: Pick<Composer, 'text' | 'write'>,
  tab: PageStorage,
  page: Pick<Window, 'addEventListener'>,
): void {
  const draft = tab.getItem(KEY);
  if (draft !== null) write(draft);
  page.addEventListener('pagehide', () => {
    const written = text.peek();
    if (written === '') return tab.removeItem(KEY);
    try {
      tab.setItem(KEY, written);
    } catch {
      // The storage is full: an older text must not come back in its place.
      tab.removeItem(KEY);
    }
  });
}
