/** What is open over the page, and closes when the user goes back. */
export interface BackLayers {
  /**
   * Gives something that has opened an entry of the browser's history of its own, so that Back closes it in the place of leaving the page.
   *
   * @param close returns false where nothing was open any more: then Back does what it would do without it
   * @returns the function to call when it was closed in another way; its entry goes
   */
  open(close: () => boolean | void): () => void;
  /** The history for those who change the address of the page: the address stays when an entry goes. */
  readonly history: Pick<History, 'state' | 'replaceState'>;
}

/** The places of the page. */
interface BackPlaces {
  readonly history: Pick<History, 'state' | 'pushState' | 'replaceState' | 'go'>;
  readonly location: Pick<Location, 'href'>;
  readonly addEventListener: (type: 'popstate', listener: () => void) => void;
}

/** The field of the history's state that counts the entries of layers below and with it. */
const DEPTH = 'layers';

export function createBackLayers({ history, location, addEventListener }: BackPlaces): BackLayers {
  const layers: (() => boolean | void)[] = [];
  let address = location.href;
  /** Whether the page itself goes to another entry, which the browser does later. */
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
  /** As many entries as layers. What a reload has closed has none either. */
  const balance = (): void => {
    isAsked = false;
    if (isGoing) return;
    for (let at = depth(); at < layers.length; at++) {
      const state: unknown = history.state;
      history.pushState({ ...(isRecord(state) ? state : {}), [DEPTH]: at + 1 }, '');
    }
    if (depth() > layers.length) go(layers.length - depth());
  };
  // Later: where one layer takes the place of another, its entry stays.
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
