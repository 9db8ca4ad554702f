import { bindingConformance } from '@banister/testing';
import { describe, it } from 'vitest';
import { computed as vueComputed, createApp, defineComponent, h, nextTick, shallowRef, toRef } from 'vue';
import { useSession, useSignal, type AgentSession } from '../src/index.js';
import { computed } from '@banister/session/signals';

interface ViewProps {
  readonly session: AgentSession;
  readonly read: (session: AgentSession) => unknown;
  readonly show: (value: unknown) => string;
  readonly isEqual?: (a: unknown, b: unknown) => boolean;
}

const props = { session: Object, read: Function, show: Function, isEqual: Function };

const BySession = defineComponent({
  props,
  setup(given) {
    const { read, show, isEqual } = given as unknown as ViewProps;
    const value = useSession(() => given.session as AgentSession, read, isEqual);
    return () => h('p', show(value.value));
  },
});

const BySignal = defineComponent({
  props,
  setup(given) {
    const { read, show } = given as unknown as ViewProps;
    const session = toRef(given, 'session');
    const signal = vueComputed(() => {
      const shown = session.value as AgentSession;
      return computed(() => read(shown));
    });
    const value = useSignal(signal);
    return () => h('p', show(value.value));
  },
});

const views = [
  ['useSession', BySession],
  ['useSignal', BySignal],
] as const;

for (const [name, View] of views) {
  bindingConformance(
    name,
    (session, read, show, isEqual) => {
      const shown = shallowRef(session);
      let renders = 0;
      const container = document.body.appendChild(document.createElement('div'));
      const app = createApp(() =>
        h(View, { session: shown.value, read, show, isEqual, onVnodeMounted: count, onVnodeUpdated: count }),
      );
      function count() {
        renders++;
      }
      app.mount(container);
      return {
        text: () => container.textContent,
        renders: () => renders,
        flush: () => nextTick(),
        unmount() {
          app.unmount();
          container.remove();
        },
        rerender(other) {
          shown.value = other;
        },
      };
    },
    { describe, it },
    {
      mounts: View === BySignal ? 10_000 : 1_000,
      skip: View === BySignal ? { 'equal-result': 'A signal decides itself what has changed.' } : {},
    },
  );
}
