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

/** The words on a question that has changed since it was opened. */
const CHANGED = 'Changed meanwhile';

/** A question in words, safe to show. */
export interface QuestionWords {
  /** The effect of an approval. */
  readonly title: string;
  readonly facts: readonly QuestionFact[];
  readonly reason: string;
  /** That the question is another one than the user saw first; null where it is not. */
  readonly news: string | null;
  /** The changed part of the board, as it is and as it will be; null where nothing can be said. */
  readonly change: { readonly before: string; readonly after: string } | null;
  /** The effect of an approval, where that is no change from one value to another: as a text, as JSON, or that it is not known. */
  readonly preview: { readonly kind: 'text' | 'json' | 'failed'; readonly text: string } | null;
  /** Whether `change` and `preview` are about the arguments as they are now. */
  readonly previewState: Question['previewState'];
  /** That `change` and `preview` are older than what is in the form, where it needs mending first; else null. */
  readonly previewNote: string | null;
  /** On the button that approves: what it does, and what that costs; or the field that is to be mended first, to which it leads. */
  readonly verb: string;
}

/**
 * The headline describes the edited arguments: it always names the effect of an approval. The reason was given for the
 * agent's own arguments; once they have been edited, it begins with a sentence that states this.
 */
export function questionWords(question: Question, describe: DescribeCall): QuestionWords {
  const { confirmation, edited, change, preview } = question;
  const { call, reason } = confirmation;
  const cost = confirmation.cost === undefined ? null : priceWords(confirmation.cost);
  const verb = verbOfTool(call.tool);
  return {
    title: callTitle(confirmation, edited, describe),
    facts: factsOf(question),
    reason: edited ? `About what the agent asked: ${visibleText(reason)}` : visibleText(reason),
    news: question.isRenewed ? CHANGED : null,
    change: change === null ? null : { before: visibleText(change.before), after: visibleText(change.after) },
    preview: preview === null ? null : previewWords(preview),
    previewState: question.previewState,
    previewNote: question.previewState === 'waiting' ? 'From before your changes' : null,
    verb: mendedFirst(question) ?? (cost === null ? verb : `${verb}, ${cost}`),
  };
}

function mendedFirst({ form, isValid }: Question): string | null {
  if (isValid || form === null) return null;
  const field = form.firstError.value;
  return field === null ? null : `First: ${visibleText(field.label)}`;
}

/**
 * The change of a question that is folded, or its preview: a row is one line and a button, so each text is a short one. A long one ends in "…".
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

/** A text that is empty stays empty: `shortText` puts it between quotes. */
function short(text: string): string {
  return text === '' ? '' : shortText(text);
}

function callTitle({ call }: Confirmation, edited: Question['edited'], describe: DescribeCall): string {
  return visibleText(describe(edited ? { ...call, ranWith: edited } : call));
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

/** The title on the line that is left of a question: it names the arguments that were approved. */
export function answeredTitle({ confirmation, edited }: AnsweredQuestion, describe: DescribeCall): string {
  return callTitle(confirmation, edited, describe);
}

/** The word for an answer, on the line that is left of a question. */
export function answerWords({ answer }: AnsweredQuestion): string {
  return answers[answer];
}

/** The accessible name of a row: each is a different one. */
export function rowName(rows: readonly QuestionRow[], { id }: QuestionRow, title: string): string {
  return `${placeWords(rows, id)}: ${title}`;
}

/** The words over the list: how many questions are open. */
export function listWords(open: readonly Question[]): string {
  return open.length === 1 ? 'Question' : `${open.length} questions`;
}

/** "Question 2 of 3", where one is shown at a time. */
export function placeWords(rows: readonly QuestionRow[], id: string | undefined): string {
  const at = rows.findIndex((row) => row.id === id) + 1;
  return rows.length === 1 ? 'Question' : `Question ${at} of ${rows.length}`;
}

/** The button that approves what costs nothing and can be taken back; null where there is nothing to approve together. */
export function bulkLabel(open: readonly Question[], light: readonly Question[]): string | null {
  if (open.length < 2 || light.length === 0) return null;
  return light.length === open.length
    ? `Approve all ${open.length}`
    : `Approve ${light.length} of ${open.length}`;
}

/** The words that are read out when questions open, and when they change: the first one in full. */
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

/** The first of these questions in full; empty without one. */
function lineOf([first]: readonly Question[], begin: string, describe: DescribeCall): string {
  if (first === undefined) return '';
  const { title, facts } = questionWords(first, describe);
  return [sentence(`${begin}: ${title}`), ...facts.map(({ text }) => sentence(text))].join(' ');
}
