/** Layers over the page that close when the user goes back. */
export interface BackLayers {
  /**
   * Gives an opened layer its own entry in the browser's history, so that Back closes the layer instead of
   * leaving the page.
   *
   * @param close returns false if the layer was closed already; then Back does what it would do without the
   * layer
   * @returns the function to call when the layer was closed in another way; it removes the entry
   */
  open(close: () => boolean | void): () => void;
  /**
   * The history for code that changes the address of the page. The address stays when an entry is removed.
   */
  readonly history: Pick<History, 'state' | 'replaceState'>;
}

/** The places of the page. */
interface BackPlaces {
  readonly history: Pick<History, 'state' | 'pushState' | 'replaceState' | 'go'>;
  readonly location: Pick<Location, 'href'>;
  readonly addEventListener: (type: 'popstate', listener: () => void) => void;
}

/** The field of the history's state that counts the entries of layers up to this entry. */
const DEPTH = 'layers';

export function createBackLayers({ history, location, addEventListener }: BackPlaces): BackLayers {
  const layers: (() => boolean | void)[] = [];
  let address = location.href;
  /** Whether the page itself is going to another entry, which the browser does later. */
  let isGoing = false;
  let isAsked = false;

  const depth = (): number => {
    const state: unknown = history.state;
    const count: unknown = isRecord(state) ? state[DEPTH] : 0;
    return typeof count === 'number' ? count : 0;
  };
  const go = (by: number): void => {
    isGoing = true;
    history.go(by);
  };
  /** Makes as many entries as layers. A layer that a reload has closed has no entry either. */
  const balance = (): void => {
    isAsked = false;
    if (isGoing) return;
    for (let at = depth(); at < layers.length; at++) {
      const state: unknown = history.state;
      history.pushState({ ...(isRecord(state) ? state : {}), [DEPTH]: at + 1 }, '');
    }
    if (depth() > layers.length) go(layers.length - depth());
  };
  // Runs later, so that the entry stays if one layer replaces another.
  const ask = (): void => {
    if (!isAsked) queueMicrotask(balance);
    isAsked = true;
  };

  addEventListener('popstate', () => {
    const isOwn = isGoing;
    isGoing = false;
    if (location.href !== address) history.replaceState(history.state, '', address);
    if (!isOwn && depth() < layers.length) {
      const closed = layers.splice(depth()).reverse();
      if (closed.map((close) => close()).every((was) => was === false)) history.go(-1);
    }
    ask();
  });
  ask();

  return {
    open(close) {
      layers.push(close);
      ask();
      return () => {
        const at = layers.indexOf(close);
        if (at < 0) return;
        layers.splice(at, 1);
        ask();
      };
    },
    history: {
      get state(): unknown {
        return history.state;
      },
      replaceState(state, unused, url) {
        history.replaceState(state, unused, url);
        address = location.href;
      },
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
