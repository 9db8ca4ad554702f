import { JSDOM } from 'jsdom';

/** A page with 60 frames per second. Open it before a framework is loaded. */
export function openPage() {
  const { window } = new JSDOM('<!doctype html><body></body>', { pretendToBeVisual: true });
  const names = [
    'document',
    'navigator',
    'window',
    'Node',
    'Element',
    'HTMLElement',
    'HTMLIFrameElement',
    'SVGElement',
    'Text',
    'Comment',
  ];
  const all = { ...Object.fromEntries(names.map((name) => [name, window[name]])), window };
  for (const frame of ['requestAnimationFrame', 'cancelAnimationFrame'])
    all[frame] = window[frame].bind(window);
  for (const [name, value] of Object.entries(all)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  return window.document;
}
