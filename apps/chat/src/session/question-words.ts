import { shortText } from '@banister/form';
import type { Confirmation } from '@banister/session';
import { sentence } from '@banister/provider';
import { priceWords } from '../board/publishing-price.js';
import { visibleJson, visibleText } from '../text/visible-text.js';
import type { DescribeCall } from '../board/describe-call.js';
import type { AnsweredQuestion, Question, QuestionRow } from './questions.js';
import { verbOfTool } from './tool-verbs.js';

/** A reason against an approval, in few words. */
export interface QuestionFact {
  readonly kind: 'cost' | 'final';
  readonly text: string;
}

/** Shown on a question that has changed after it was opened. */
const CHANGED = 'Changed meanwhile';

/** A question in words, safe to show. */
export interface QuestionWords {
  /** What an approval does. */
  readonly title: string;
  readonly facts: readonly QuestionFact[];
  readonly reason: string;
  /** Says that the question has changed after the user first saw it; null if it has not. */
  readonly news: string | null;
  /** The changed part of the board, before and after; null if that is unknown. */
  readonly change: { readonly before: string; readonly after: string } | null;
  /**
   * What an approval does, if it is not a change from one value to another: as text, as JSON, or that it is
   * unknown.
   */
  readonly preview: { readonly kind: 'text' | 'json' | 'failed'; readonly text: string } | null;
  /** Whether `change` and `preview` are about the current arguments. */
  readonly previewState: Question['previewState'];
  /** Says that `change` and `preview` are outdated because the form has errors; else null. */
  readonly previewNote: string | null;
  /**
   * The button that approves: what it does and costs; or, if a field has an error, the name of the field that
   * the button leads to.
   */
  readonly verb: string;
}

/**
 * Describes a question. The headline describes the edited arguments, so that it always names what an approval
 * does. The agent gave its reason for its own arguments; if they were edited, a sentence before the reason
 * says so.
 */
export function questionWords(question: Question, describe: DescribeCall): QuestionWords {
  const { confirmation, edited, change, preview } = question;
  const { call } = confirmation;
  const cost = confirmation.cost === undefined ? null : priceWords(confirmation.cost);
  const verb = verbOfTool(call.tool);
  return {
    title: callTitle(confirmation, edited, describe),
    facts: factsOf(question),
    reason: reasonOf(question),
    news: question.isRenewed ? CHANGED : null,
    change: change === null ? null : { before: visibleText(change.before), after: visibleText(change.after) },
    preview: preview === null ? null : previewWords(preview),
    previewState: question.previewState,
    previewNote: question.previewState === 'waiting' ? 'From before your changes' : null,
    verb: mendedFirst(question) ?? (cost === null ? verb : `${verb}, ${cost}`),
  };
}

/** For a plan, which is in sight as a whole: what the user has changed so far. */
function reasonOf({ confirmation, edited, plan }: Question): string {
  if (plan !== null) return plan.edits.value || 'Nothing is done before you approve.';
  const reason = visibleText(confirmation.reason);
  return edited ? `About what the agent asked: ${reason}` : reason;
}

function mendedFirst({ form, isValid }: Question): string | null {
  if (isValid || form === null) return null;
  const field = form.firstError.value;
  return field === null ? null : `First: ${visibleText(field.label)}`;
}

/**
 * Returns the change or the preview of a folded question. A row is one line and a button, so each text is
 * shortened, and ends with "…" if it was cut.
 */
export function rowWords({ change, preview }: QuestionWords): {
  readonly change: QuestionWords['change'];
  readonly preview: string | null;
} {
  return {
    change: change && { before: short(change.before), after: short(change.after) },
    preview: preview && short(preview.text),
  };
}

/** An empty text stays empty, because `shortText` would quote it. */
function short(text: string): string {
  return text === '' ? '' : shortText(text);
}

/** The title says whose call it is, if it is an agent's. */
function callTitle(
  { call, agent }: Confirmation,
  edited: Question['edited'],
  describe: DescribeCall,
): string {
  const title = describe(edited ? { ...call, ranWith: edited } : call);
  return visibleText(agent === undefined ? title : `${agent.title ?? agent.id} asks: ${title}`);
}

function previewWords(preview: NonNullable<Question['preview']>): NonNullable<QuestionWords['preview']> {
  switch (preview.kind) {
    case 'text':
      return { kind: 'text', text: visibleText(preview.text) };
    case 'json':
      return { kind: 'json', text: visibleJson(preview.value) };
    case 'failed':
      return { kind: 'failed', text: `The preview could not be made: ${visibleText(preview.reason)}` };
  }
}

function factsOf({ confirmation: { cost, irreversible }, isPaid }: Question): readonly QuestionFact[] {
  const price = cost === undefined ? 'money, the amount is not known' : priceWords(cost);
  return [
    ...(isPaid ? [{ kind: 'cost', text: `Costs ${price}` } as const] : []),
    ...(irreversible ? [{ kind: 'final', text: 'Cannot be taken back' } as const] : []),
  ];
}

const answers: Readonly<Record<AnsweredQuestion['answer'], string>> = {
  approved: 'Approved',
  declined: 'You refused',
  'not-answered': 'No answer',
  settled: 'Answered',
};

/** Returns the title of the line that replaces an answered question. It names the approved arguments. */
export function answeredTitle({ confirmation, edited }: AnsweredQuestion, describe: DescribeCall): string {
  return callTitle(confirmation, edited, describe);
}

/** Returns the word for an answer, on the line that replaces a question. */
export function answerWords({ answer }: AnsweredQuestion): string {
  return answers[answer];
}

/** Returns the accessible name of a row. All names are different. */
export function rowName(rows: readonly QuestionRow[], { id }: QuestionRow, title: string): string {
  return `${placeWords(rows, id)}: ${title}`;
}

/** Returns the heading of the list: how many questions are open. */
export function listWords(open: readonly Question[]): string {
  return open.length === 1 ? 'Question' : `${open.length} questions`;
}

/** Returns "Question 2 of 3" if one question is shown at a time. */
export function placeWords(rows: readonly QuestionRow[], id: string | undefined): string {
  const at = rows.findIndex((row) => row.id === id) + 1;
  return rows.length === 1 ? 'Question' : `Question ${at} of ${rows.length}`;
}

/**
 * Returns the label of the button that approves all questions that cost nothing and can be undone; null if
 * there are none.
 */
export function bulkLabel(open: readonly Question[], light: readonly Question[]): string | null {
  if (open.length < 2 || light.length === 0) return null;
  return light.length === open.length
    ? `Approve all ${open.length}`
    : `Approve ${light.length} of ${open.length}`;
}

/**
 * Returns the words that are read out when questions open or change. The first question is read out in full.
 */
export function announcementOf(questions: readonly Question[], describe: DescribeCall): string {
  const opened = questions.filter(({ isRenewed }) => !isRenewed);
  const changed = questions.filter(({ isRenewed }) => isRenewed);
  const count = ({ length }: readonly Question[]) => `${length} questions. The first`;
  const lines = [
    lineOf(opened, opened.length === 1 ? 'Question' : count(opened), describe),
    lineOf(changed, changed.length === 1 ? CHANGED : `${CHANGED}: ${count(changed)}`, describe),
  ].filter((line) => line !== '');
  return lines.length === 0 ? '' : `${lines.join(' ')} F6 to answer.`;
}

/** Returns the first of these questions in full; empty if there is none. */
function lineOf([first]: readonly Question[], begin: string, describe: DescribeCall): string {
  if (first === undefined) return '';
  const { title, facts } = questionWords(first, describe);
  return [sentence(`${begin}: ${title}`), ...facts.map(({ text }) => sentence(text))].join(' ');
}
