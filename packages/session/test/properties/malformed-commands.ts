import type { LocalAgentSession } from '@banister/session';
import type { Bad } from './hostile-values.js';

/** The commands of a user, with a malformed value at one place. */
export const badCommands: Readonly<Record<string, (session: LocalAgentSession, bad: Bad) => unknown>> = {
  nothing: () => {},
  send: (session, bad) => session.send(bad()),
  'the text of a message': (session, bad) => session.send({ text: bad() }),
  'the images of a message': (session, bad) => session.send({ text: 'x', images: bad() }),
  'an image of a message': (session, bad) => session.send({ text: 'x', images: [bad()] }),
  'the data of an image': (session, bad) =>
    session.send({ text: 'x', images: [{ mediaType: bad(), data: bad() }] }),
  'the files of a message': (session, bad) => session.send({ text: 'x', files: bad() }),
  'a file of a message': (session, bad) => session.send({ text: 'x', files: [bad()] }),
  ...Object.fromEntries(
    ['signal', 'limits', 'toolChoice', 'directives', 'provider', 'commit'].map((name) => [
      `${name} of a message`,
      (session: LocalAgentSession, bad: Bad) => session.send('x', { [name]: bad() }),
    ]),
  ),
  'a limit': (session, bad) => session.send('x', { limits: { maxTokens: bad(), timeoutMs: bad() } }),
  'a directive': (session, bad) => session.send('x', { directives: [bad()] }),
  enqueue: (session, bad) => session.enqueue(bad()),
  'the id of a message': (session, bad) => session.enqueue('x', { id: bad() }),
  requeue: (session, bad) => session.requeue(bad(), { input: bad(), before: bad() }),
  dequeue: (session, bad) => session.dequeue(bad()),
  steer: (session, bad) => session.steer(bad()),
  respond: (session, bad) => session.respond(bad(), bad()),
  deny: (session, bad) => session.pendingConfirmation.value?.deny(bad()),
  approve: (session, bad) => session.pendingConfirmation.value?.approve(bad()),
  'edited arguments': (session, bad) =>
    session.pendingConfirmation.value?.approve({ arguments: { n: bad() } }),
  attend: (session, bad) => session.attend(bad()),
  previewOf: (session, bad) => session.previewOf(bad(), bad()),
  regenerate: (session, bad) => session.regenerate({ turnId: bad(), effects: bad() }),
  cancel: (session, bad) => session.cancel(bad()),
  'the effects of a cancel': (session, bad) => session.cancel({ sideEffects: bad(), immediate: bad() }),
  undo: (session, bad) => session.undo({ turnId: bad(), force: bad() }),
  redo: (session, bad) => session.redo({ force: bad() }),
  touch: (session, bad) => session.touch(bad()),
  mode: (session, bad) => session.setMode(bad()),
  generate: (session, bad) => session.generate(bad(), { type: 'object' }),
  'a schema': (session, bad) => session.generate('x', bad()),
  'a property of a schema': (session, bad) =>
    session.generate('x', { type: 'object', properties: { a: bad() } }),
  edit: (session, bad) => session.edit(session.turns.value[0]!.id, bad()),
  switchTo: (session, bad) => session.switchTo(bad(), { effects: bad() }),
  configure: (session, bad) => session.configure({ role: bad(), limits: { maxRounds: bad() } }),
  revoke: (session, bad) => session.revoke(bad()),
  accept: (session, bad) => session.accept(bad()),
  reject: (session, bad) => session.reject([bad()]),
  compact: (session) => session.compact(),
  uncompact: (session, bad) => session.uncompact(bad()),
};
