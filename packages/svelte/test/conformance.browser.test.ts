import { bindingConformance } from '@banister/testing';
import { flushSync, mount, tick, unmount, type Component } from 'svelte';
import { describe, it } from 'vitest';
import { shownSession } from './shown-session.svelte.js';
import BySession from './BySession.svelte';
import BySignal from './BySignal.svelte';
import ByStore from './ByStore.svelte';

const views = [
  ['fromSession', BySession],
  ['fromSignal', BySignal],
  ['$signal, the store contract', ByStore],
] as const;

for (const [name, View] of views) {
  bindingConformance(
    name,
    (session, read, show, isEqual) => {
      const target = document.body.appendChild(document.createElement('div'));
      let renders = 0;
      // Svelte does not render a component again. It runs the expressions whose values changed, which is one
      // here.
      const counted: typeof show = (value) => {
        renders++;
        return show(value);
      };
      const props = shownSession(session, { read, show: counted, isEqual });
      const view = mount(View as Component<typeof props>, { target, props });
      flushSync();
      return {
        text: () => target.textContent,
        renders: () => renders,
        flush: tick,
        async unmount() {
          await unmount(view);
          target.remove();
          // Svelte ends a subscription one microtask later, because another reader may take it over.
          await tick();
        },
        rerender(other) {
          props.session = other;
        },
      };
    },
    { describe, it },
    {
      mounts: View === BySignal ? 10_000 : 1_000,
      skip: View === BySession ? {} : { 'equal-result': 'A signal decides itself what has changed.' },
    },
  );
}
