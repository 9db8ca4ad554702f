import type { Revisions } from '../conversation/revisions.js';
import type { Moved } from '../operations/moved.js';

type Revision = string | number | undefined;

/** The running calls of a domain. `onReadState`: the first of them began on the state that the model had read. */
interface RunningCalls {
  readonly calls: readonly string[];
  readonly onReadState: boolean;
}

/**
 * The revisions of the domains in a turn, as the operations record them: they separate the turn's own changes from those of the user
 * and the app.
 */
export interface RevisionNotes {
  /** The revisions at the first request. */
  readonly start: Revisions;
  /** The revisions that the model has read: those of the last request, updated by the turn's own calls only. */
  readonly readByModel: Revisions;
  /** The revisions after the last of the turn's own calls. */
  readonly own: Revisions;
  /** Ids of the domains that a call of the turn may have changed. */
  readonly touched: readonly string[];
  /** Ids of the touched domains in which the user, or the app, changed something while the turn ran. */
  readonly foreign: readonly string[];
  /** By domain. */
  readonly running: Readonly<Record<string, RunningCalls>>;
  /** Calls that were cut, whose executor may still run: by id of the call, whether it began on the state that the model had read. */
  readonly cut: Readonly<Record<string, boolean>>;
}

/** Returns the notes after a request to the model. */
export function afterRequest(notes: RevisionNotes | null, revisions: Revisions): RevisionNotes {
  if (notes !== null) return { ...notes, readByModel: revisions };
  return {
    start: revisions,
    readByModel: revisions,
    own: revisions,
    touched: [],
    foreign: [],
    running: {},
    cut: {},
  };
}

/** Returns the notes after a call that may change its domain started. Calls that run side by side count as one change. */
export function afterStart(
  notes: RevisionNotes,
  callId: string,
  domain: string,
  revision: Revision,
): RevisionNotes {
  const before = notes.running[domain];
  const onReadState = before?.onReadState ?? revision === notes.readByModel[domain];
  const started: RevisionNotes = {
    ...notes,
    touched: withItem(notes.touched, domain),
    running: { ...notes.running, [domain]: { calls: [...(before?.calls ?? []), callId], onReadState } },
  };
  if (before !== undefined) return withOwn(started, domain, revision, onReadState);
  return revision === notes.own[domain] ? started : { ...started, foreign: withItem(notes.foreign, domain) };
}

/** Returns the notes after an executor has returned: the revision counts as the turn's own. */
export function afterReturn(
  notes: RevisionNotes,
  callId: string,
  domain: string,
  revision: Revision,
): RevisionNotes {
  const running = notes.running[domain];
  const isRunning = running?.calls.includes(callId);
  const onReadState = isRunning ? running!.onReadState : notes.cut[callId];
  if (onReadState === undefined) return notes;
  const { [callId]: _returned, ...cut } = notes.cut;
  return withOwn({ ...withoutCall(notes, callId, domain), cut }, domain, revision, onReadState);
}

/**
 * Returns the notes after a call was cut. A call that starts later does not count as running beside it, although its executor may
 * still run.
 */
export function afterCut(notes: RevisionNotes, callId: string, domain: string): RevisionNotes {
  const running = notes.running[domain];
  if (!running?.calls.includes(callId)) return notes;
  return {
    ...withoutCall(notes, callId, domain),
    cut: { ...notes.cut, [callId]: running.onReadState },
  };
}

/** Returns the notes after effects of the turn were taken back while it is open. A change of the user before that stays one of the user. */
export function afterReject(notes: RevisionNotes, moved: Moved): RevisionNotes {
  let { own, foreign } = notes;
  for (const [domain, { from, to }] of Object.entries(moved)) {
    if (own[domain] !== from) foreign = withItem(foreign, domain);
    else if (to !== undefined) own = { ...own, [domain]: to };
  }
  return { ...notes, own, foreign };
}

/** Returns the domains that the turn changed, and their revisions before and after it, for undo. */
export function summaryOf(notes: RevisionNotes | null): {
  readonly domains: readonly string[];
  readonly before: Revisions;
  readonly after: Revisions;
} {
  if (notes === null) return { domains: [], before: {}, after: {} };
  const { touched, foreign, start, own } = notes;
  return {
    domains: touched,
    before: selected(start, (domain) => touched.includes(domain) && !foreign.includes(domain)),
    after: selected(own, (domain) => touched.includes(domain)),
  };
}

function withOwn(
  notes: RevisionNotes,
  domain: string,
  revision: Revision,
  onReadState: boolean,
): RevisionNotes {
  if (revision === undefined) return notes;
  const own = { ...notes.own, [domain]: revision };
  // After a call on a state that the model had not read, the next call still gets the revision that the model has read.
  return onReadState
    ? { ...notes, own, readByModel: { ...notes.readByModel, [domain]: revision } }
    : { ...notes, own };
}

/** Returns the notes without a call, whose executor was not called. */
export function withoutCall(notes: RevisionNotes, callId: string, domain: string): RevisionNotes {
  const running = notes.running[domain];
  if (running === undefined) return notes;
  const { [domain]: _all, ...others } = notes.running;
  const calls = running.calls.filter((id) => id !== callId);
  return { ...notes, running: calls.length === 0 ? others : { ...others, [domain]: { ...running, calls } } };
}

function withItem(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list : [...list, item];
}

function selected(revisions: Revisions, include: (domain: string) => boolean): Revisions {
  return Object.fromEntries(Object.entries(revisions).filter(([domain]) => include(domain)));
}
