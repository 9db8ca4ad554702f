import { assert, assertEqual } from '../assert.js';
import type { Fact } from './binding-fact.js';
import { stepwise, text } from './stage.js';

/** How many views are mounted at the same time. */
const AT_ONCE = 100;

/** Facts about views that are mounted and unmounted, together or in turn, while a session runs. */
export const lifetimeFacts: readonly Fact[] = [
  {
    fact: 'two-views',
    description: 'shows the same in two views of a session, and goes on when one of them has gone',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two');
      const { session, go } = stage.play(answer);
      const first = await stage.view(session, text);
      const second = await stage.view(session, text);
      await go(() => session.send('Count'));
      await go(open(0));
      await first.flush();
      await second.flush();
      assertEqual([first.text(), second.text()], ['one', 'one'], 'the texts');
      await stage.unmount(first);
      await go(open(1));
      await second.flush();
      assertEqual(second.text(), 'one two', 'the text of the view that stayed');
    },
  },
  {
    fact: 'two-sessions',
    description: 'keeps two sessions on one page apart',
    async prove(stage) {
      const { answer, open } = stepwise('first', ' more');
      const first = stage.play(answer);
      const second = stage.play('second');
      const left = await stage.view(first.session, text);
      const right = await stage.view(second.session, text);
      await first.go(() => first.session.send('Hi'));
      await first.go(open(0));
      await left.flush();
      assertEqual([left.text(), right.text()], ['first', ''], 'the texts while one session streams');
      assertEqual(right.renders(), 1, 'renders of the other view');
      const renders = left.renders();
      await second.go(() => second.session.send('Hi'));
      await right.flush();
      assertEqual([left.text(), right.text()], ['first', 'second'], 'the texts of both sessions');
      assertEqual(left.renders(), renders, 'renders of the first view for the second session');
    },
  },
  {
    fact: 'late-attach',
    description: 'joins a running turn with everything so far, and changes nothing about it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two');
      const { session, go } = stage.play(answer);
      await go(() => session.send('Count'));
      await go(open(0));
      const view = await stage.view(session, (of) => `${of.phase.value}: ${of.currentText.value}`);
      assertEqual(view.text(), 'streaming: one', 'the text when mounted');
      await go(open(1));
      await view.flush();
      assertEqual(view.text(), 'idle: one two', 'the text at the end');
    },
  },
  {
    fact: 'teardown',
    description: 'neither renders nor listens after it was unmounted',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, watched, go } = stage.play(answer);
      let shown = 0;
      const view = await stage.view(session, text, (value) => {
        shown++;
        return value;
      });
      await go(() => session.send('Count'));
      await go(open(0));
      await view.flush();
      assert(watched() > 0, 'a mounted view listens');
      await stage.unmount(view);
      assertEqual(watched(), 0, 'signals that are still listened to');
      const before = shown;
      await go(open(1));
      await view.flush();
      assertEqual(shown, before, 'renders');
    },
  },
  {
    fact: 'remount',
    description: 'shows the current value when it is mounted again, and follows it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two', ' three');
      const { session, go } = stage.play(answer);
      const first = await stage.view(session, text);
      await go(() => session.send('Count'));
      await go(open(0));
      await first.flush();
      await stage.unmount(first);
      await go(open(1));
      const second = await stage.view(session, text);
      assertEqual(second.text(), 'one two', 'the text when mounted again');
      await go(open(2));
      await second.flush();
      assertEqual(second.text(), 'one two three', 'the text afterwards');
    },
  },
  {
    fact: 'dispose',
    description: 'keeps its last value when the session is disposed of under it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two');
      const { session, watched, go } = stage.play(answer);
      const view = await stage.view(session, (of) => `${of.isRunning.value}: ${of.currentText.value}`);
      await go(() => session.send('Count'));
      await go(open(0));
      await session.dispose();
      await view.flush();
      assertEqual(view.text(), 'false: one', 'the text');
      await stage.unmount(view);
      assertEqual(watched(), 0, 'signals that are still listened to');
    },
  },
  {
    fact: 'many-mounts',
    description: 'leaves no subscription behind, however many views came and went',
    async prove(stage, mounts) {
      const { answer, open } = stepwise('one', ' two');
      const { session, watched, go } = stage.play(answer);
      await go(() => session.send('Count'));
      await go(open(0));
      for (let mounted = 0; mounted < mounts; mounted += AT_ONCE) {
        const views = await stage.views(Math.min(AT_ONCE, mounts - mounted), session, text);
        assert(watched() > 0, 'mounted views listen');
        assertEqual([...new Set(views.map((view) => view.text()))], ['one'], 'what the views show');
        for (const view of views) await stage.unmount(view);
        assertEqual(watched(), 0, 'signals that are still listened to');
      }
      await go(open(1));
    },
  },
  {
    fact: 'other-session',
    description: 'follows another session when it is given one, and lets go of the first',
    async prove(stage) {
      const { answer, open } = stepwise('first', ' more');
      const first = stage.play(answer);
      const second = stage.play('second');
      await first.go(() => first.session.send('Hi'));
      await first.go(open(0));
      const view = await stage.view(first.session, text);
      assert(view.rerender !== undefined, 'the fixture cannot rerender; declare the gap "other-session"');
      await view.rerender(second.session);
      await view.flush();
      assertEqual(view.text(), '', 'the text of the second session before its turn');
      assertEqual(first.watched(), 0, 'signals of the first session that are still listened to');
      await second.go(() => second.session.send('Hi'));
      await first.go(open(1));
      await view.flush();
      assertEqual(view.text(), 'second', 'the text of the second session');
    },
  },
];
