import { isJsonObject, type JsonObject } from '@banister/provider';
import { forgetId, FROM_MEMORY, rememberId, searchId } from '../memory/memory-words.js';
import { LONGEST_FACT } from '../memory/memory-drawer.js';
import type { KnownFact } from './known-facts.js';
import type { Ask } from './read-ask.js';
import type { Outcome, Plan } from './step.js';

/** What a plan knows. The plan runs again with each request, so the facts may have its own changes. */
type Remembering = Pick<Ask, 'known' | 'rounds'>;

/** Returns the call of a tool that the turn has made. */
function madeCall(tool: string, rounds: Ask['rounds']): Outcome | undefined {
  return rounds.flat().find(({ call }) => call.tool === tool);
}

/** Keeps a fact, after the user has read and approved its text. */
export function* rememberPlan(text: string, { known, rounds }: Remembering): Plan {
  if (text.length > LONGEST_FACT)
    return `That is too long to remember: a fact has ${LONGEST_FACT} characters at most.`;
  if (
    madeCall(rememberId, rounds) === undefined &&
    known.facts.some((fact) => foldedText(fact.text) === foldedText(text))
  )
    return 'I remember that already.';
  const outcomes = yield {
    thinking: 'They want this for later conversations. I keep nothing that they have not read.',
    text: 'I keep this for later conversations, if you agree.',
    calls: [{ tool: rememberId, arguments: { text } }],
  };
  const [outcome] = outcomes;
  const kept = outcome?.call.ranWith?.['text'] ?? text;
  return done(outcomes)
    ? `I will remember: “${String(kept)}”`
    : notDone(outcomes, 'I remember nothing of it.');
}

/** Forgets the fact that has the words. */
export function* forgetPlan(about: string, { known, rounds }: Remembering): Plan {
  const before = madeCall(forgetId, rounds)?.call.arguments?.['id'];
  const found = yield* matching(about, { known, rounds });
  const id = before ?? found[0]?.id;
  if (id === undefined) return 'I remember nothing about that.';
  if (before === undefined && found.length > 1)
    return `I remember several things about that. Which one?\n\n${listOf(found)}`;
  const outcomes = yield {
    thinking: 'They name one fact. It goes only if they agree.',
    text: 'I forget this, if you agree.',
    calls: [{ tool: forgetId, arguments: { id } }],
  };
  return done(outcomes) ? 'I have forgotten it.' : notDone(outcomes, 'I still remember it.');
}

/** Says everything that the request tells of the memory. */
// eslint-disable-next-line require-yield -- the request has the facts
export function* recallPlan({ known: { facts, more } }: Pick<Ask, 'known'>): Plan {
  if (facts.length === 0) return 'I remember nothing yet. Say “Remember that …”, and I ask before I keep it.';
  const rest =
    more === 0 ? '' : `\n\nAnd ${more} more: the drawer “What the agent remembers” has all of them.`;
  return `I remember:\n\n${listOf(facts)}${rest}`;
}

/** Answers a question from what is remembered; null if no fact has its words. */
export function* answerFromMemory(
  question: string,
  { known, rounds }: Remembering,
): Generator<ReturnType<typeof searchStep>, string | null, readonly Outcome[]> {
  if (known.facts.length + known.more === 0 || !QUESTION.test(question)) return null;
  const found = yield* matching(question, { known, rounds }, 1);
  if (found.length === 0) return null;
  return found.length === 1 ? `${FROM_MEMORY}: “${found[0]!.text}”` : `${FROM_MEMORY}:\n\n${listOf(found)}`;
}

const QUESTION = /\?\s*$|^(?:when|what|who|where|which|how|why|do|does|is|are|can|should)\b/i;

/** Finds facts with the words of a text: in the request, or else by a search. */
function* matching(
  text: string,
  { known: { facts, more }, rounds }: Remembering,
  most?: number,
): Generator<ReturnType<typeof searchStep>, readonly KnownFact[], readonly Outcome[]> {
  const shown = withWordsOf(text, facts, most);
  const isSearched = madeCall(searchId, rounds) !== undefined;
  if (!isSearched && (shown.length > 0 || more === 0)) return shown;
  return withWordsOf(text, foundIn(yield searchStep(text)), most);
}

function searchStep(query: string) {
  return {
    thinking: 'What I read of the memory does not have it, so I search the rest.',
    text: '',
    calls: [{ tool: searchId, arguments: { query: query.slice(0, 200) } satisfies JsonObject }],
  };
}

function foundIn(outcomes: readonly Outcome[]): readonly KnownFact[] {
  return outcomes
    .flatMap(({ result }) => result.content)
    .flatMap((part) => {
      const list = part.type === 'json' && isJsonObject(part.value) ? part.value['facts'] : null;
      return (Array.isArray(list) ? list : []) as unknown as readonly KnownFact[];
    });
}

/** Words that are in every sentence. */
const COMMON = new Set(
  'a an and are at be can did do does for from has have how i in is it me my of on or our remember should that the their this to us was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/**
 * Returns the facts that share the most words with a text, if they share at least half of its words. A word
 * also fits a form of it: "release", "releases".
 *
 * @param least how many common words suffice, however long the text is
 */
function withWordsOf(text: string, facts: readonly KnownFact[], least = Infinity): readonly KnownFact[] {
  const wanted = wordsOf(text);
  const needed = Math.min(least, Math.ceil(wanted.length / 2));
  if (wanted.length === 0) return [];
  const counted = facts.map((fact) => {
    const words = wordsOf(fact.text);
    return { fact, count: wanted.filter((word) => words.some((other) => isForm(word, other))).length };
  });
  const best = Math.max(needed, ...counted.map(({ count }) => count));
  return counted.filter(({ count }) => count === best).map(({ fact }) => fact);
}

function wordsOf(text: string): readonly string[] {
  const words = foldedText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word));
}

function isForm(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || (short.length >= 4 && long.startsWith(short) && long.length - short.length <= 3);
}

function foldedText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[.!\s]+$/, '');
}

function listOf(facts: readonly KnownFact[]): string {
  return facts.map(({ text }) => `• ${text}`).join('\n');
}

function done(outcomes: readonly Outcome[]): boolean {
  return outcomes.length > 0 && outcomes.every(({ result }) => result.outcome === 'success');
}

function notDone(outcomes: readonly Outcome[], rest: string): string {
  const text = JSON.stringify(outcomes.map(({ result }) => result.content));
  if (/declined/.test(text)) return `You said no. ${rest}`;
  if (/did not answer in time/.test(text)) return `There was no answer. ${rest}`;
  return `That did not work. ${rest}`;
}
