import {
  effect,
  type AgentSession,
  type CallPreview,
  type Confirmation,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolCallView,
} from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { messageOf, type Clock } from '@banister/provider';
import type { ArgumentForm } from '@banister/form';
import type { Pickers } from '../board/card-pickers.js';
import type { CallChange } from '../board/preview-call.js';
import { carryOutId } from '../release/release-planning.js';
import { visibleJson } from '../text/visible-text.js';
import type { Cues } from './cues.js';
import { createEditedPreviews, type EditedPreview } from './edited-previews.js';
import { createPlanEditor, type PlanEditor } from './plan-editor.js';
import { createQuestionForms } from './question-forms.js';
import { answersIn, type CallAnswer } from './question-about.js';
import { once, rememberOptions, type Remembering } from './remember.js';

/** A request for confirmation, with the arguments that the user has edited so far. */
export interface Question {
  readonly id: string;
  readonly confirmation: Confirmation;
  /** The arguments as a form; null until its code is loaded, and for a tool that this page does not have. */
  readonly form: ArgumentForm | null;
  /** The steps of a plan, which replace the fields of the form; null for a call that has no plan, and without a form. */
  readonly plan: PlanEditor | null;
  /** The agent's arguments as JSON, safe to show, if there is no form; else null. */
  readonly given: string | null;
  /** The arguments of an approval, if they differ from the agent's arguments; else null. */
  readonly edited: JsonObject | null;
  /** Whether the session accepts the arguments. */
  readonly isValid: boolean;
  /** Why the last approval was refused; empty if it was not. */
  readonly errors: readonly string[];
  /** Objects of the app that arguments name, by the path of their field. A picker replaces the text field. */
  readonly pickers: Pickers;
  /** How long, and for which calls, an approval is remembered. */
  readonly remember: Remembering;
  /** What an approval changes in the current app; null if the change has no values before and after. */
  readonly change: CallChange | null;
  /** The preview of the arguments if it is not a change, or the reason why there is no preview; else null. */
  readonly preview: Exclude<CallPreview, { readonly kind: 'change' }> | null;
  /**
   * Whether `change` and `preview` are about the current arguments. For edited arguments, the tool may still
   * be making them.
   */
  readonly previewState: EditedPreview['state'];
  /** Whether the app has changed after the question was opened, so that the change is a different one. */
  readonly isRenewed: boolean;
  /** Whether it costs something, even if the amount is unknown. */
  readonly isPaid: boolean;
  /**
   * Whether it may be approved together with others, because it costs nothing and can be undone. Deletions
   * may, because Undo restores what they delete. A call of a tool that this page does not have may not,
   * because nothing is known about it.
   */
  readonly isLight: boolean;
}

/** A question that was answered while other questions of its list are open. */
export interface AnsweredQuestion {
  readonly id: string;
  readonly confirmation: Confirmation;
  readonly answer: NonNullable<CallAnswer['answer']> | 'settled';
  /** The arguments of an approval, if they differ from the agent's arguments; else null. */
  readonly edited: JsonObject | null;
}

/** A row of the list: an open or an answered question. */
export type QuestionRow =
  | { readonly id: string; readonly callId: string; readonly question: Question }
  | { readonly id: string; readonly callId: string; readonly answered: AnsweredQuestion };

/**
 * The questions of a turn, as one list. Each question can be answered separately. One question is unfolded.
 */
export interface Questions {
  readonly open: ReadonlySignal<readonly Question[]>;
  /**
   * The list in the order of the calls: open questions, and questions that were answered while others are
   * open.
   */
  readonly rows: ReadonlySignal<readonly QuestionRow[]>;
  /** The ids of the calls that the list is about. */
  readonly callIds: ReadonlySignal<readonly string[]>;
  /** The unfolded question; null if no question is open. */
  readonly current: ReadonlySignal<Question | null>;
  /** The questions that `approveLight` approves. */
  readonly light: ReadonlySignal<readonly Question[]>;
  unfold(question: Question): void;
  /** Unfolds the next or the previous question. Returns false if there is none. */
  step(by: 1 | -1): boolean;
  remember(question: Question, remember: Remembering): void;
  /**
   * Approves with the arguments of the form. If they are invalid, the question stays open, and the first
   * error gets the focus.
   */
  approve(question: Question): Promise<void>;
  /** Approves all questions that cost nothing and can be undone. */
  approveLight(): Promise<void>;
  refuse(question: Question): void;
  refuseAll(): void;
  /** While the user is at the list, the deadlines of its questions stand still. */
  attend(isThere: boolean): void;
  /** Whether the deadlines stand still because the user asked for it. */
  readonly isHeld: ReadonlySignal<boolean>;
  /**
   * Stops the deadlines of the list wherever the user is, as long as the session allows it. When called
   * again, continues them.
   */
  hold(): void;
}

/** Returns what a call would change, without asking the session, for arguments that are being edited. */
export type ChangeOf = (call: Pick<ToolCallView, 'tool' | 'arguments' | 'ranWith'>) => CallChange | null;

interface QuestionsOptions {
  readonly session: ReadonlySignal<AgentSession>;
  /**
   * Returns what a call with these arguments changes. It reads signals, and is called again when one of them
   * changes.
   */
  readonly changeOf: ChangeOf;
  /** Returns the pickers for arguments of a tool. It reads signals, as `changeOf` does. */
  readonly pickersOf: (tool: string, args: JsonObject) => Pickers;
  /** Returns the tool with this id; undefined if this page does not have it. */
  readonly toolOf: (id: string) => Tool | undefined;
  /** Adds to a confirmation who asks. It reads signals. Default: nothing is added. */
  readonly signed?: (confirmation: Confirmation) => Confirmation;
  readonly cues: Pick<Cues, 'focus' | 'say'>;
  readonly clock: Pick<Clock, 'schedule'>;
}

/** The user's changes to a question. */
type Edit = Partial<Pick<Question, 'errors' | 'remember'>>;

/** The edits, by the id of the confirmation. */
type Edits = Readonly<Record<string, Edit>>;

export function createQuestions(options: QuestionsOptions): Questions {
  const { session, changeOf, pickersOf, cues, signed = (confirmation) => confirmation } = options;
  const forms = createQuestionForms(options.toolOf);
  const previews = createEditedPreviews(session, options.clock);
  const edits = signal<Edits>({});
  const chosen = signal<string | null>(null);
  const isAttended = signal(false);
  const plans = new WeakMap<ArgumentForm, PlanEditor>();
  const planOf = (form: ArgumentForm | null, confirmation: Confirmation): PlanEditor | null => {
    if (form === null || confirmation.call.tool !== carryOutId) return null;
    const plan = plans.get(form) ?? createPlanEditor(form, confirmation, cues);
    plans.set(form, plan);
    return plan;
  };

  const pending = computed(() =>
    session.value.pendingConfirmations.value.filter(({ answeredBy }) => answeredBy === 'signal').map(signed),
  );
  const open = computed(() => pending.value.map((confirmation) => questionOf(confirmation)));

  let listed: Listed = { of: null, confirmations: [] };
  const rows = computed((): readonly QuestionRow[] => {
    listed = withPending(listed, session.value, pending.value);
    const answers = answersIn(session.value).value;
    return listed.confirmations.map((confirmation) => {
      const { id, call } = confirmation;
      const question = open.value.find((one) => one.id === id);
      if (question) return { id, callId: call.id, question };
      const { answer, edited = null } = answers[call.id] ?? {};
      return { id, callId: call.id, answered: { id, confirmation, answer: answer ?? 'settled', edited } };
    });
  });
  let ids: readonly string[] = [];
  // Returns the same list while it has the same calls, because each edit makes new rows.
  const callIds = computed(() => {
    const next = rows.value.map(({ callId }) => callId);
    return (ids = next.length === ids.length && next.every((id, at) => id === ids[at]) ? ids : next);
  });

  const current = computed(() => {
    const at = rows.value.findIndex(({ id }) => id === chosen.value);
    // After an answered question comes the next, and after the last question the first.
    const inOrder = [...rows.value.slice(Math.max(at, 0)), ...rows.value];
    return inOrder.flatMap((row) => ('question' in row ? row.question : []))[0] ?? null;
  });
  const light = computed(() => open.value.filter(({ isLight, isValid }) => isLight && isValid));

  function questionOf(confirmation: Confirmation): Question {
    const { id, call, cost, irreversible } = confirmation;
    const { errors = [], remember = once } = edits.value[id] ?? {};
    const form = forms.of(confirmation).value;
    const isEdited = form !== null && form.changes.value.length > 0;
    const edited = isEdited ? form.value.value : null;
    const tool = options.toolOf(call.tool);
    const isPaid = cost !== undefined || tool?.capabilities?.includes('paid') === true;
    return {
      id,
      confirmation,
      form,
      plan: planOf(form, confirmation),
      given: form === null ? visibleJson(call.arguments) : null,
      edited,
      isValid: form === null || form.isValid.value,
      errors,
      pickers: pickersOf(call.tool, edited ?? call.arguments),
      remember,
      ...(edited === null ? asked(confirmation) : ofEdited(confirmation, edited)),
      isRenewed: confirmation.changed === true,
      isPaid,
      isLight: tool !== undefined && !isPaid && !irreversible,
    };
  }

  type Shown = Pick<Question, 'change' | 'preview' | 'previewState'>;

  /** Returns the session's preview of the agent's call. The approval is for exactly this preview. */
  function asked({ call, preview }: Confirmation): Shown {
    return preview === undefined
      ? upToDate({ change: changeOf(call), preview: null })
      : upToDate(partsOf(preview));
  }

  /**
   * Returns the change that the app computes for edited arguments at once; else the preview that the tool
   * makes for them.
   */
  function ofEdited({ id, call, preview }: Confirmation, edited: JsonObject): Shown {
    const change = changeOf({ ...call, ranWith: edited });
    if (change !== null || preview === undefined) return upToDate({ change, preview: null });
    const made = previews.of(id).value;
    // Until there is a preview, the preview of the agent's arguments stays in sight.
    return { ...partsOf(made?.preview ?? preview), previewState: made?.state ?? 'busy' };
  }

  // Follows edited arguments whose preview only their tool can make.
  effect(() =>
    previews.follow(
      pending.value.flatMap((confirmation) => {
        const { id, call, preview, digest } = confirmation;
        const form = preview === undefined ? null : forms.of(confirmation).value;
        if (form === null || form.changes.value.length === 0) return [];
        const args = form.value.value;
        if (changeOf({ ...call, ranWith: args }) !== null) return [];
        return { id, arguments: args, isValid: form.isValid.value, digest };
      }),
    ),
  );

  const heldIds = signal<readonly string[]>([]);
  // Applies only while one of these questions is open. The next list is not held.
  const isHeld = computed(() => pending.value.some(({ id }) => heldIds.value.includes(id)));
  const standsStill = computed(() => isAttended.value || isHeld.value);
  const openIds = computed(() => pending.value.map(({ id }) => id).join('\n'));
  effect(() => {
    if (!standsStill.value || openIds.value === '') return;
    const of = session.value;
    const releases = openIds.value.split('\n').map((id) => of.attend(id));
    return () => {
      for (const release of releases) release();
    };
  });

  const change = (id: string, edit: Edit): void => {
    const known = edits.peek();
    // Keeps only edits of open questions.
    const kept = pending.peek().flatMap((confirmation) => {
      const of = known[confirmation.id];
      return of ? [[confirmation.id, of] as const] : [];
    });
    edits.value = { ...Object.fromEntries(kept), [id]: { ...known[id], ...edit } };
  };
  const unfold = ({ id }: Pick<Question, 'id'>): void => {
    chosen.value = id;
    cues.focus(`question:${id}`);
  };
  /** Keeps a question open whose answer the session did not accept, and shows why. */
  const showFailure = (id: string, error: unknown): void => {
    if (!pending.peek().some((one) => one.id === id)) return;
    change(id, { errors: [messageOf(error)] });
    chosen.value = id;
  };
  const tryApproval = async (question: Question): Promise<void> => {
    const { id, confirmation, form, edited, remember } = question;
    const args = form === null ? confirmation.call.arguments : await form.submit();
    if (args === null) {
      chosen.value = id;
      // An error of the arguments as a whole belongs to no field.
      cues.focus(`field:${form?.firstError.peek()?.id}`, 'form-errors');
      return;
    }
    const options = rememberOptions(remember);
    // An approval of edited arguments is for the shown preview, if that preview is of these arguments.
    const digest = previews.of(id).peek()?.digest;
    const outcome = await confirmation.approve(
      edited === null
        ? options
        : { ...options, arguments: args, ...(digest === undefined ? {} : { digest }) },
    );
    const errors = typeof outcome === 'object' ? outcome.errors : [];
    if (errors.length > 0) previews.again(id);
    if (errors.length > 0 || question.errors.length > 0) change(id, { errors });
    // Unfolds the question, so that the reason why it stays open is in sight.
    if (errors.length > 0) chosen.value = id;
  };
  const approve = (question: Question): Promise<void> =>
    tryApproval(question).catch((error: unknown) => showFailure(question.id, error));
  const refuse = ({ id, confirmation }: Question): void =>
    void confirmation.deny().catch((error: unknown) => showFailure(id, error));

  return {
    open,
    rows,
    callIds,
    current,
    light,
    unfold,
    step(by) {
      const all = open.peek();
      const next = all[all.findIndex(({ id }) => id === current.peek()?.id) + by];
      if (next !== undefined) unfold(next);
      return next !== undefined;
    },
    remember({ id }, remember) {
      change(id, { remember });
    },
    approve,
    approveLight: async () => void (await Promise.all(light.peek().map(approve))),
    refuse,
    refuseAll() {
      for (const question of open.peek()) refuse(question);
    },
    attend(isThere) {
      isAttended.value = isThere;
    },
    isHeld,
    hold() {
      heldIds.value = isHeld.peek() ? [] : pending.peek().map(({ id }) => id);
    },
  };
}

/** The parts of a preview that a question shows. */
type PreviewParts = Pick<Question, 'change' | 'preview'>;

function partsOf(preview: CallPreview): PreviewParts {
  if (preview.kind !== 'change') return { change: null, preview };
  return { change: { before: wordsOf(preview.before), after: wordsOf(preview.after) }, preview: null };
}

function upToDate(parts: PreviewParts): PreviewParts & Pick<Question, 'previewState'> {
  return { ...parts, previewState: 'current' };
}

function wordsOf(value: JsonValue): string {
  if (value === null) return 'Nothing';
  return typeof value === 'string' ? value : visibleJson(value);
}

/** Questions of a session that were open at the same time. */
interface Listed {
  readonly of: AgentSession | null;
  readonly confirmations: readonly Confirmation[];
}

/** Adds new questions. In another session, and when all questions are answered, the list begins anew. */
function withPending(before: Listed, of: AgentSession, pending: readonly Confirmation[]): Listed {
  if (pending.length === 0) return { of, confirmations: [] };
  const known = before.of === of ? before.confirmations : [];
  const latest = (confirmation: Confirmation) =>
    pending.find(({ id }) => id === confirmation.id) ?? confirmation;
  const isNew = (confirmation: Confirmation) => !known.some(({ id }) => id === confirmation.id);
  // A call with a repeated question has one row. Questions of another round are a separate list.
  const isAskedAgain = ({ id, call }: Confirmation) =>
    pending.some((one) => one.call.id === call.id && one.id !== id);
  const isSameList = known.some(({ id }) => pending.some((one) => one.id === id));
  if (!isSameList) return { of, confirmations: pending };
  const kept = known.filter((confirmation) => !isAskedAgain(confirmation)).map(latest);
  return { of, confirmations: [...kept, ...pending.filter(isNew)] };
}
