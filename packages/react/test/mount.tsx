import { Profiler, StrictMode, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, type RootOptions } from 'react-dom/client';

/** A tree on the page, rendered as in production: React alone batches and flushes. */
export interface Mounted {
  text(): string;
  /** Commits so far, the first included. */
  commits(): number;
  render(tree: ReactNode): void;
  unmount(): void;
}

export interface MountOptions extends RootOptions {
  readonly strict?: boolean;
}

export function mount(tree: ReactNode, { strict = false, ...options }: MountOptions = {}): Mounted {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container, options);
  let commits = 0;
  const render = (shown: ReactNode) => {
    const profiled = (
      <Profiler id="tree" onRender={() => commits++}>
        {shown}
      </Profiler>
    );
    flushSync(() => root.render(strict ? <StrictMode>{profiled}</StrictMode> : profiled));
  };
  render(tree);
  return {
    text: () => container.textContent,
    commits: () => commits,
    render,
    unmount() {
      flushSync(() => root.unmount());
      container.remove();
    },
  };
}

/** React renders the change of a signal in a microtask, and a transition in tasks of its own. */
export async function rendered(): Promise<void> {
  for (let count = 0; count < 3; count++) await task();
}

/** A task at once: a browser delays nested timers by 4 ms. */
function task(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
