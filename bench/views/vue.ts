import { useSession } from '@banister/vue';
import { createApp, defineComponent, h, shallowRef, type PropType, type Ref } from 'vue';
import { agentTexts, liveText, settledMessages, type Drawn, type ShownMessage, type Views } from './view.js';

const drawProp = { type: Function as PropType<() => void>, required: true } as const;

const Message = defineComponent({
  props: { text: { type: String, required: true }, draw: drawProp },
  setup: (props) => () => {
    props.draw();
    return h('p', props.text);
  },
});

export { createAgentSession } from '@banister/vue';

export const mountPlain: Views['mountPlain'] = (target, past, drawn) => {
  const messages = shallowRef(past);
  const live = shallowRef('');
  mountChat(target, drawn, () => ({ messages, live }));
  return {
    stream: (text) => void (live.value = text),
    settle: (settled) => void (messages.value = settled),
  };
};

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  mountChat(target, drawn, () => ({
    messages: useSession(session, settledMessages),
    live: useSession(session, liveText),
  }));
};

export const mountAgents: Views['mountAgents'] = (target, session, drawn) => {
  mountChat(target, drawn, () => ({
    messages: useSession(session, settledMessages),
    live: useSession(session, agentTexts),
  }));
};

interface Shown {
  readonly messages: Ref<readonly ShownMessage[]>;
  /** The text that streams, or those of several agents. */
  readonly live: Ref<string | readonly string[]>;
}

/** @param source called in the set-up of the view, as a composable is */
function mountChat(target: HTMLElement, drawn: Drawn, source: () => Shown): void {
  const draw = () => void drawn.message++;
  createApp(
    defineComponent(() => {
      const { messages, live } = source();
      const List = defineComponent(() => () => {
        drawn.list++;
        return messages.value.map(({ id, text }) => h(Message, { key: id, text, draw }));
      });
      const drawLive = () => void drawn.live++;
      const Live = defineComponent(() => () => {
        const texts = live.value;
        if (typeof texts !== 'string')
          return texts.map((text, key) => h(Message, { key, text, draw: drawLive }));
        drawLive();
        return h('p', texts);
      });
      return () => [h(List), h(Live)];
    }),
  ).mount(target);
}
