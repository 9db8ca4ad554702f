import { useSession, useSignal, type AgentSession } from '@handrail/vue';
import { createApp, defineComponent, h, shallowRef, type PropType } from 'vue';
import { textsOf, type Drawn, type Views } from './view.js';

const drawnProp = { type: Object as PropType<Drawn>, required: true } as const;

const Message = defineComponent({
  props: { text: { type: String, required: true }, drawn: drawnProp },
  setup: (props) => () => {
    props.drawn.message++;
    return h('p', props.text);
  },
});

export { createAgentSession } from '@handrail/vue';

export const mountPlain: Views['mountPlain'] = (target, past, drawn) => {
  const messages = shallowRef(past);
  const live = shallowRef('');
  const List = defineComponent(() => () => {
    drawn.list++;
    return messages.value.map(({ id, text }) => h(Message, { key: id, text, drawn }));
  });
  const Live = defineComponent(() => () => {
    drawn.live++;
    return h('p', live.value);
  });
  createApp(() => [h(List), h(Live)]).mount(target);
  return {
    stream: (text) => void (live.value = text),
    settle: (settled) => void (messages.value = settled),
  };
};

const Turn = defineComponent({
  props: {
    turn: { type: Object as PropType<AgentSession['turns']['value'][number]>, required: true },
    drawn: drawnProp,
  },
  setup: (props) => () =>
    textsOf(props.turn).map((text, index) => h(Message, { key: index, text, drawn: props.drawn })),
});

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  const Turns = defineComponent(() => {
    const turns = useSignal(session.turns);
    return () => {
      drawn.list++;
      return turns.value.map((turn) => h(Turn, { key: turn.id, turn, drawn }));
    };
  });
  const Live = defineComponent(() => {
    const text = useSession(session, (of) => (of.isRunning.value ? of.currentText.value : ''));
    return () => {
      drawn.live++;
      return h('p', text.value);
    };
  });
  createApp(() => [h(Turns), h(Live)]).mount(target);
};
