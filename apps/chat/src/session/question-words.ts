import type { Confirmation } from '@handrail/session';
import { visibleText } from '../text/visible-text.js';
import type { DescribeCall } from './chat.js';
import type { Question } from './questions.js';

/** A question in words, safe to show. */
export interface QuestionWords {
  /** The accessible name: different for each question. */
  readonly name: string;
  /** The effect of an approval. */
  readonly title: string;
  readonly reason: string;
}

/**
 * The headline describes the edited arguments: it always names the effect of an approval. The reason was given for the
 * agent's own arguments; once they have been edited, it begins with a sentence that states this.
 */
export function questionWords(question: Question, describe: DescribeCall): QuestionWords {
  const { confirmation, edited, isReadable } = question;
  const { call, reason } = confirmation;
  const summary = visibleText(describe(edited ? { ...call, ranWith: edited } : call));
  const title = isReadable ? summary : `As the agent asked: ${summary}`;
  return {
    name: `Confirm ${visibleText(call.tool)}: ${title}`,
    title,
    reason: edited ? `About what the agent asked: ${visibleText(reason)}` : visibleText(reason),
  };
}

/** The estimated cost of a call. */
export function costWords({ amount, currency }: NonNullable<Confirmation['cost']>): string {
  return `about ${new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)}`;
}

/** @param until milliseconds since the epoch, like `now` */
export function countdownWords(until: number, now: number): string {
  return `No answer in ${Math.max(0, Math.ceil((until - now) / 1000))} s counts as no`;
}
