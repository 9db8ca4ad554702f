import { bindingConformance } from '@banister/testing';
import { useMemo } from 'react';
import { describe, it } from 'vitest';
import { useSession, useSignalValue, type AgentSession } from '../src/index.js';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { mount, rendered } from './mount.js';

interface ViewProps<T> {
  readonly session: AgentSession;
  readonly read: (session: AgentSession) => T;
  readonly show: (value: T) => string;
  readonly isEqual?: (a: T, b: T) => boolean;
}

/** The selector keeps its identity. */
function ByStableSelector<T>({ session, read, show, isEqual }: ViewProps<T>) {
  return <p>{show(useSession(session, read, isEqual))}</p>;
}

/** A new selector in each render, as an inline function is. */
function ByInlineSelector<T>({ session, read, show, isEqual }: ViewProps<T>) {
  return <p>{show(useSession(session, (of) => read(of), isEqual))}</p>;
}

function ByComputed<T>({ session, read, show }: ViewProps<T>) {
  const signal: ReadonlySignal<T> = useMemo(() => computed(() => read(session)), [session, read]);
  return <p>{show(useSignalValue(signal))}</p>;
}

const views = [
  ['useSession, selector with an identity', ByStableSelector],
  ['useSession, inline selector', ByInlineSelector],
  ['useSignalValue', ByComputed],
] as const;

for (const [name, View] of views) {
  for (const strict of [false, true]) {
    bindingConformance(
      strict ? `${name}, StrictMode,` : name,
      (session, read, show, isEqual) => {
        const treeOf = (shown: AgentSession) => (
          <View session={shown} read={read} show={show} isEqual={isEqual} />
        );
        const view = mount(treeOf(session), { strict });
        return {
          text: view.text,
          renders: view.commits,
          flush: rendered,
          unmount: view.unmount,
          rerender: (other) => view.render(treeOf(other)),
        };
      },
      { describe, it },
      {
        mounts: View === ByStableSelector && !strict ? 10_000 : 1_000,
        skip: View === ByComputed ? { 'equal-result': 'A signal decides itself what has changed.' } : {},
      },
    );
  }
}
