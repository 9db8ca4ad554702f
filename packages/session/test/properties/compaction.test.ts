// Properties of compaction, for any conversation and any wanted size.
import { validateHistory } from '@banister/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { compactedMessages, type AppliedCompaction } from '../../src/compaction/compacted-messages.js';
import { planCompaction, summaryEnd } from '../../src/compaction/plan-compaction.js';
import { messagesTokens } from '../../src/conversation/context-tokens.js';
import { conversations, neededOf, wordsOf, type RandomConversation } from './random-conversation.js';

const target = fc.integer({ min: 0, max: 12_000 });

const planned = (conversation: RandomConversation, wanted: number, id = 'mark') => {
  const plan = planCompaction(conversation, wanted);
  return plan === null ? null : { id, ...plan };
};

describe('a request after a compaction', () => {
  test('a compacted request is valid for any conversation and any wanted size, keeps the last messages of the user and open calls, and is as small as wanted or just these', () => {
    fc.assert(
      fc.property(conversations, target, (conversation, wanted) => {
        const { messages } = conversation;
        const plan = planned(conversation, wanted);
        const after = compactedMessages(messages, plan === null ? [] : [plan]);
        expect(validateHistory(after)).toEqual([]);
        for (const message of neededOf(conversation))
          expect(after.map(wordsOf)).toContainEqual(wordsOf(message));
        if (plan === null) return;
        expect(plan.tokens).toBe(messagesTokens(after));
        expect(plan.tokens).toBeLessThan(messagesTokens(messages));
        if (plan.tokens > wanted)
          expect(after.filter(({ kind }) => kind === undefined).map(wordsOf)).toEqual(
            neededOf(conversation).map(wordsOf),
          );
      }),
      propertyRun('compaction: valid, kept, small', 3_000),
    );
  });

  test('is unchanged if nothing gets smaller, and no smaller than needed', () => {
    fc.assert(
      fc.property(conversations, target, (conversation, wanted) => {
        const { messages } = conversation;
        const plan = planned(conversation, wanted);
        if (messagesTokens(messages) <= wanted) expect(plan).toBeNull();
        if (plan === null) return;
        const { results, calls, messages: left } = plan.stripped;
        const places = [left, calls, results].map((id) => messages.findIndex((one) => one.id === id));
        // A later step changes a part of the messages of the one before it.
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }),
      propertyRun('compaction: not smaller than needed', 1_000),
    );
  });

  test('is valid with a summary too, and not larger than wanted', () => {
    fc.assert(
      fc.property(conversations, target, (conversation, wanted) => {
        const { messages } = conversation;
        const plan = planned(conversation, wanted);
        const upTo = summaryEnd(conversation, wanted);
        if (plan === null || upTo === undefined) return;
        const after = compactedMessages(messages, [{ id: 'mark', upTo, kept: plan.kept, summary: 'Short.' }]);
        expect(validateHistory(after)).toEqual([]);
        expect(after[0]).toMatchObject({ id: 'mark', kind: 'summary' });
        for (const message of neededOf(conversation))
          expect(after.map(wordsOf)).toContainEqual(wordsOf(message));
        const rest = after.slice(1);
        if (messagesTokens(rest) > wanted)
          expect(rest.map(wordsOf)).toEqual(neededOf(conversation).map(wordsOf));
      }),
      propertyRun('compaction: summary', 2_000),
    );
  });

  test('if a mark is reverted, has only the other marks; without marks it is the conversation itself', () => {
    fc.assert(
      fc.property(
        conversations,
        fc.array(fc.tuple(target, fc.boolean()), { maxLength: 4 }),
        fc.nat(),
        (conversation, goals, which) => {
          const marks: AppliedCompaction[] = [];
          for (const [wanted, hasSummary] of goals) {
            const messages = compactedMessages(conversation.messages, marks);
            const plan = planned({ ...conversation, messages }, wanted, `mark${marks.length}`);
            if (plan === null) continue;
            const upTo = summaryEnd({ ...conversation, messages }, wanted)!;
            marks.push(hasSummary ? { id: plan.id, upTo, kept: plan.kept, summary: 'S' } : plan);
            const after = compactedMessages(conversation.messages, marks);
            expect(validateHistory(after)).toEqual([]);
            // The same request is made again, of the same objects.
            expect(compactedMessages(conversation.messages, marks)).toEqual(after);
          }
          const others = marks.filter((_one, index) => index !== which % Math.max(1, marks.length));
          const after = compactedMessages(conversation.messages, others);
          expect(validateHistory(after)).toEqual([]);
          for (const message of neededOf(conversation))
            expect(after.map(wordsOf)).toContainEqual(wordsOf(message));
          expect(compactedMessages(conversation.messages, [])).toBe(conversation.messages);
        },
      ),
      propertyRun('compaction: several marks', 2_000),
    );
  });
});
