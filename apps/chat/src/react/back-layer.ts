import { createContext, useContext, useEffect, useRef } from 'react';
import type { BackLayers } from '../view/back-layers.js';

export const BackContext = createContext<Pick<BackLayers, 'open'> | null>(null);

/** Lets Back close something that the page has opened. */
export function useBackLayer(isOpen: boolean, close: () => void): void {
  const back = useContext(BackContext)!;
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => (isOpen ? back.open(() => latest.current()) : undefined), [back, isOpen]);
}
