import type { Revisions } from '../conversation/revisions.js';
import type { Moved } from '../operations/moved.js';

type Revision = string | number | undefined;

/** The running calls of a domain. `onReadState`: the first of them began on the state that the model had read. */
interface RunningCalls {
  readonly calls: readonly string[];
  readonly onReadState: boolean;
}

/**
 * The revisions of the domains in a turn, as the operations record them. They separate the turn's own changes from changes of the user and
 * the app.
 */
export interface RevisionNotes {
  /** The revisions at the first request. */
  readonly start: Revisions;
  /** The revisions that the model has read: the revisions of the last request, updated only by the turn's own calls. */
  readonly readByModel: Revisions;
  /** The revisions after the last of the turn's own calls. */
  readonly own: Revisions;
  /** Ids of the domains that a call of the turn may have changed. */
  readonly touched: readonly string[];
  /** Ids of the touched domains that the user or the app changed while the turn ran. */
  readonly foreign: readonly string[];
  /** The running calls, by domain. */
  readonly running: Readonly<Record<string, RunningCalls>>;
  /** For each aborted call whose executor may still run, whether it began on the state that the model had read. By call id. */
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

/** Returns the notes after the start of a call that may change its domain. Calls that run at the same time count as one change. */
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
 * Returns the notes after a call was aborted. A call that starts later does not count as running at the same time, although the executor of
 * the aborted call may still run.
 */
export function afterCut(notes: RevisionNotes, callId: string, domain: string): RevisionNotes {
  const running = notes.running[domain];
  if (!running?.calls.includes(callId)) return notes;
  return {
    ...withoutCall(notes, callId, domain),
    cut: { ...notes.cut, [callId]: running.onReadState },
  };
}

/**
 * Returns the notes after effects of the turn were taken back while the turn is open. An earlier change of the user still counts as a
 * change of the user.
 */
export function afterReject(notes: RevisionNotes, moved: Moved): RevisionNotes {
  let { own, foreign } = notes;
  for (const [domain, { from, to }] of Object.entries(moved)) {
    if (own[domain] !== from) foreign = withItem(foreign, domain);
    else if (to !== undefined) own = { ...own, [domain]: to };
  }
  return { ...notes, own, foreign };
}

/** Returns the domains that the turn changed, with their revisions before and after the turn, for undo. */
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
  // If the call ran on a state that the model had not read, the next call still gets the revision that the model has read.
  return onReadState
    ? { ...notes, own, readByModel: { ...notes.readByModel, [domain]: revision } }
    : { ...notes, own };
}

/** Returns the notes without a call whose executor was not called. */
export function withoutCall(notes: RevisionNotes, callId: string, domain: string): RevisionNotes {
  const running = notes.running[domain];
  if (running === undefined) return notes;
  const { [domain]: _all, ...others } = notes.running;
  // A call that ran again after an interruption stands here twice.
  const calls = running.calls.filter((id) => id !== callId);
  return { ...notes, running: calls.length === 0 ? others : { ...others, [domain]: { ...running, calls } } };
}

function withItem(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list : [...list, item];
}

function selected(revisions: Revisions, include: (domain: string) => boolean): Revisions {
  return Object.fromEntries(Object.entries(revisions).filter(([domain]) => include(domain)));
}
