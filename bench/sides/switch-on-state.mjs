// The floor of W13: the same list on the framework's own state, which gets the messages of the other branch.
import { shownOnPath } from '../inputs/branched-conversation.mjs';

export function switchOnState({ page, framework, conversation, heads }) {
  const [first, ...others] = [conversation.head, ...heads].map((head) => shownOnPath(conversation, head));
  return page.evaluate(
    async (given) => {
      const { mountPlain } = await import(`/${given.framework}.js`);
      const target = globalThis.document.querySelector('main');
      const drawn = { list: 0, message: 0, live: 0 };
      const view = mountPlain(target, given.first, drawn);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const times = [];
      const lists = [];
      for (const messages of given.others) {
        const before = drawn.list;
        times.push(await globalThis.untilFrame(target, () => view.settle(messages)));
        await new Promise((resolve) => setTimeout(resolve, 50));
        lists.push(drawn.list - before);
      }
      return { times, lists, text: target.textContent };
    },
    { framework, first, others },
  );
}
