// W13: a list of turns bound to a session, which goes to other branches.

export function switchOnSession({ page, framework, conversation, heads }) {
  return page.evaluate(
    async (given) => {
      const { createAgentSession, mountSession } = await import(`/${given.framework}.js`);
      const session = createAgentSession({
        provider: { id: 'bench', model: 'none', stream: () => ({}) },
        conversation: given.conversation,
      });
      const target = globalThis.document.querySelector('main');
      const drawn = { list: 0, message: 0, live: 0 };
      mountSession(target, session, drawn);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const times = [];
      const lists = [];
      for (const head of given.heads) {
        const before = drawn.list;
        let switched;
        times.push(await globalThis.untilFrame(target, () => (switched = session.switchTo(head))));
        await switched;
        await new Promise((resolve) => setTimeout(resolve, 50));
        lists.push(drawn.list - before);
      }
      return { times, lists, text: target.textContent };
    },
    { framework, conversation, heads },
  );
}
