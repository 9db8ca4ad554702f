import { useSession, useSignal, type AgentSession } from '@handrail/vue';
import { createApp, defineComponent, h, shallowRef, type PropType } from 'vue';
import { textsOf, type Views } from './view.js';

const drawProp = { type: Function as PropType<() => void>, required: true } as const;

const Message = defineComponent({
  props: { text: { type: String, required: true }, draw: drawProp },
  setup: (props) => () => {
    props.draw();
    return h('p', props.text);
  },
});

export { createAgentSession } from '@handrail/vue';

export const mountPlain: Views['mountPlain'] = (target, past, drawn) => {
  const messages = shallowRef(past);
  const live = shallowRef('');
  const draw = () => void drawn.message++;
  const List = defineComponent(() => () => {
    drawn.list++;
    return messages.value.map(({ id, text }) => h(Message, { key: id, text, draw }));
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
    draw: drawProp,
  },
  setup: (props) => () =>
    textsOf(props.turn).map((text, index) => h(Message, { key: index, text, draw: props.draw })),
});

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  const draw = () => void drawn.message++;
  const Turns = defineComponent(() => {
    const turns = useSignal(session.turns);
    return () => {
      drawn.list++;
      return turns.value.map((turn) => h(Turn, { key: turn.id, turn, draw }));
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
