import { effect, type AgentSession } from '@banister/session';
import { assert, assertEqual } from '../assert.js';
import { fail } from '../scripted-answer.js';
import type { Fact } from './binding-fact.js';
import { stepwise, streamed, text } from './stage.js';

/** Facts about what a view shows, and how often it renders. */
export const drawingFacts: readonly Fact[] = [
  {
    fact: 'initial-value',
    description: 'shows the current value in its first render',
    async prove(stage) {
      const { session, go } = stage.play('Hello.');
      await go(() => session.send('Hi'));
      const view = await stage.view(session, text);
      assertEqual(view.text(), 'Hello.', 'the text');
      assertEqual(view.renders(), 1, 'renders');
    },
  },
  {
    fact: 'updates',
    description: 'shows each published value',
    async prove(stage) {
      const { answer, open } = stepwise('one ', 'two ', 'three');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, text);
      assertEqual(view.text(), '', 'the text before the turn');
      await go(() => session.send('Count'));
      for (const [index, expected] of ['one ', 'one two ', 'one two three'].entries()) {
        await go(open(index));
        await view.flush();
        assertEqual(view.text(), expected, `the text after step ${index + 1}`);
      }
    },
  },
  {
    fact: 'one-render',
    description: 'renders at most once per publication, however much changed',
    async prove(stage) {
      const { answer, open } = stepwise('a'.repeat(40), 'b', 'c');
      const { session, original, go } = stage.play(answer);
      const read = (of: AgentSession) =>
        [of.phase, of.isRunning, of.currentText, of.turns, of.liveTurn, of.lastOutcome, of.canUndo]
          .map((signal) => JSON.stringify(signal.value))
          .join();
      let publications = -1; // the first run of an effect is no change
      const dispose = effect(() => {
        read(original);
        publications++;
      });
      const view = await stage.view(session, read);
      await go(() => session.send('Go'));
      for (const index of [0, 1, 2]) {
        await go(open(index));
        await view.flush();
      }
      dispose();
      const renders = view.renders() - 1;
      assert(renders <= publications, `${renders} renders for ${publications} publications`);
      assertEqual(view.text(), read(session), 'the text');
    },
  },
  {
    fact: 'one-frame',
    description: 'renders once a frame while text streams, and not before the frame',
    async prove(stage) {
      // The last piece never arrives, because the end of a turn does not wait for a frame.
      const { answer, open } = streamed(['a', 'b', 'c', 'd'], 50);
      const { session, happen, go } = stage.play(answer);
      const view = await stage.view(session, text);
      await go(() => session.send('Go'));
      // The very first piece does not wait for a frame.
      await go(open(0));
      await view.flush();
      const [a, b, c] = ['a'.repeat(50), 'b'.repeat(50), 'c'.repeat(50)];
      for (const [index, expected] of [a + b, a + b + c].entries()) {
        const before = view.renders();
        const shown = view.text();
        await happen(open(index + 1));
        await view.flush();
        assertEqual(view.text(), shown, `the text before frame ${index + 1}`);
        assertEqual(view.renders(), before, `renders before frame ${index + 1}`);
        await go(() => {});
        await view.flush();
        assertEqual(view.text(), expected, `the text after frame ${index + 1}`);
        assertEqual(view.renders(), before + 1, `renders after frame ${index + 1}`);
      }
    },
  },
  {
    fact: 'one-switch',
    description: 'renders the list of turns once when the session goes to another branch',
    async prove(stage) {
      const { session, go } = stage.play('One.', 'Two.', 'Three.');
      await go(() => session.send('First'));
      await go(() => session.send('Second'));
      await session.regenerate();
      await go(() => {});
      const view = await stage.view(session, (of) =>
        of.turns.value.map(({ id }) => `${id}: ${of.branches.value[id]?.position ?? '-'}`).join(),
      );
      assertEqual(view.text(), 'turn_1: -,turn_3: 2', 'the list before');
      const switched = session.switchTo('turn_2');
      await go(() => {});
      await switched;
      await view.flush();
      assertEqual(view.text(), 'turn_1: -,turn_2: 1', 'the list after');
      assertEqual(view.renders(), 2, 'renders');
    },
  },
  {
    fact: 'unread',
    description: 'does not render for signals that it does not read',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, (of) => of.canUndo.value);
      await go(() => session.send('Count'));
      await go(open(0));
      await go(open(1));
      await view.flush();
      assertEqual(view.renders(), 1, 'renders');
    },
  },
  {
    fact: 'same-result',
    description: 'does not render when what it reads gives the same result',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two', 'three', 'four');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, (of) => of.currentText.value.length > 0);
      await go(() => session.send('Count'));
      for (const index of [0, 1, 2, 3]) {
        await go(open(index));
        await view.flush();
      }
      assertEqual(view.text(), 'true', 'the text');
      assertEqual(view.renders(), 2, 'renders');
    },
  },
  {
    fact: 'same-object',
    description: 'does not render when the object that it reads keeps its identity',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, go } = stage.play(answer);
      const view = await stage.view(
        session,
        (of) => of.turns.value,
        (turns) => `${turns.length} turns`,
      );
      await go(() => session.send('Count'));
      await go(open(0));
      await view.flush();
      assertEqual(view.renders(), 1, 'renders while the turn runs');
      await go(open(1));
      await view.flush();
      assertEqual(view.text(), '1 turns', 'the text');
      assertEqual(view.renders(), 2, 'renders after the turn');
    },
  },
  {
    fact: 'equal-result',
    description: 'keeps the earlier result when the next one is equal to it',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two', 'three', 'four');
      const { session, go } = stage.play(answer);
      let shown: object = {};
      const view = await stage.view(
        session,
        (of) => ({ isEmpty: of.currentText.value === '' }),
        (value) => {
          shown = value;
          return String(value.isEmpty);
        },
        (a, b) => a.isEmpty === b.isEmpty,
      );
      await go(() => session.send('Count'));
      await go(open(0));
      await view.flush();
      const first = shown;
      for (const index of [1, 2, 3]) {
        await go(open(index));
        await view.flush();
      }
      assertEqual(view.text(), 'false', 'the text');
      assertEqual(view.renders(), 2, 'renders');
      // After a render for another reason, the object is still the same.
      await view.rerender?.(session);
      await view.flush();
      assert(shown === first, 'the object that is shown is another one');
    },
  },
  {
    fact: 'no-tearing',
    description: 'never shows a mixture of two publications',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, original, go } = stage.play(answer);
      const read = (of: AgentSession) =>
        `${of.isRunning.value}|${of.phase.value}|${of.currentText.value}|${of.turns.value.length}`;
      const published = new Set<string>();
      const dispose = effect(() => void published.add(read(original)));
      const shown: string[] = [];
      const view = await stage.view(session, read, (value) => {
        shown.push(value);
        return value;
      });
      await go(() => session.send('Count'));
      for (const index of [0, 1]) {
        await go(open(index));
        await view.flush();
      }
      dispose();
      const torn = shown.filter((value) => !published.has(value));
      assertEqual(torn, [], 'values that were never published');
    },
  },
  {
    fact: 'error',
    description: 'shows the error of a failed turn, until the next turn starts',
    async prove(stage) {
      const { session, go } = stage.play(fail('auth'), 'Better.');
      const view = await stage.view(session, (of) => of.lastError.value?.code ?? 'no error');
      assertEqual(view.text(), 'no error', 'the text before');
      await go(() => session.send('Hi'));
      await view.flush();
      assertEqual(view.text(), 'auth', 'the text after the failure');
      await go(() => session.send('Hi'));
      await view.flush();
      assertEqual(view.text(), 'no error', 'the text after the next turn');
    },
  },
];
