// The floor of W7: the framework's own state, written once a frame.

export async function createViewOnState({ framework, model, past, document, drawn }) {
  const { mountPlain } = await import(`../../.cache/bench/views/${framework}.js`);
  const target = document.body.appendChild(document.createElement('div'));
  const view = mountPlain(target, past, drawn);
  return {
    target,
    async send() {
      let text = '';
      let frame = 0;
      const show = () => {
        frame = 0;
        view.stream(text);
      };
      const { signal } = new AbortController();
      for await (const event of model({ results: 0, signal })) {
        if (event.type !== 'text') continue;
        text += event.delta;
        frame ||= globalThis.requestAnimationFrame(show);
      }
      globalThis.cancelAnimationFrame(frame);
      view.stream('');
      view.settle([...past, { id: 'input', text: 'Hello' }, { id: 'answer', text }]);
    },
  };
}
