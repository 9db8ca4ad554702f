import { Profiler, StrictMode, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, type RootOptions } from 'react-dom/client';

/** A tree on the page, rendered as in production: only React batches and flushes. */
export interface Mounted {
  text(): string;
  /** Returns the number of commits so far, including the first. */
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

/** React renders the change of a signal in a microtask, and a transition in separate tasks. */
export async function rendered(): Promise<void> {
  for (let count = 0; count < 3; count++) await task();
}

/** Runs a task at once, because a browser delays nested timers by 4 ms. */
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
