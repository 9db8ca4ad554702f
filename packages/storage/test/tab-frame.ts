// A frame is a separate page: it has its own modules and globals, and ends without notice.
import { vi } from 'vitest';
import type { TabOptions, TabPage } from './tab-page.js';

export interface TabFrame {
  readonly window: Window;
  /** Makes a session in the frame. */
  openTab(options: TabOptions): TabPage;
  readonly end: () => void;
}

/** Opens a frame that has loaded `tab-page.ts`. */
export async function openFrame(): Promise<TabFrame> {
  const frame = document.createElement('iframe');
  frame.srcdoc = '<!doctype html><title>A tab</title>';
  document.body.append(frame);
  await new Promise((loaded) => frame.addEventListener('load', loaded, { once: true }));
  const window = frame.contentWindow! as Window & { openTab?: (options: TabOptions) => TabPage };
  // The test server wraps each dynamic import in a call of this runner.
  const runner = { wrapDynamicImport: <T>(load: () => Promise<T>) => load() };
  Object.assign(window, { __vitest_browser_runner__: runner });
  const script = frame.contentDocument!.createElement('script');
  script.type = 'module';
  script.src = new URL('./tab-page.ts', import.meta.url).href;
  frame.contentDocument!.head.append(script);
  await vi.waitUntil(() => window.openTab, { timeout: 30_000 });
  return { window, openTab: (options) => window.openTab!(options), end: () => frame.remove() };
}
