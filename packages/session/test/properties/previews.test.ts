// Whatever happens meanwhile, a call acts on what its question showed.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callTools, forcedGuard, say, settle } from '@banister/testing';
import type { CallPreview, JsonObject, LocalAgentSession, Operation } from '@banister/session';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { fixture } from '../fixture.js';
import { createTitles, rename } from '../titles.js';

const card = fc.constantFrom('1', '2');

const schedule = fc.record({
  part: fc.constantFrom('revision' as const, 'subscribe' as const),
  /** The cards of the calls of one answer. */
  calls: fc.array(card, { minLength: 1, maxLength: 3 }),
  /** The user's changes: each at the operation with this number. */
  changes: fc.array(fc.record({ at: fc.integer({ min: 8, max: 45 }), card }), { maxLength: 4 }),
  /** Whether the tool names the card as its resource. */
  names: fc.boolean(),
  /** The number of turns of the event loop that a preview takes. */
  slow: fc.nat(2),
  by: fc.constantFrom('signal' as const, 'handler' as const),
  /** Which questions are edited, by their number. */
  edits: fc.array(fc.nat(5), { maxLength: 2 }),
});

/** Returns the preview that each call was approved with, by its id: that of the last question about it. */
function approvedPreviews(operations: readonly Operation[]): ReadonlyMap<string, CallPreview | null> {
  const shown = new Map<string, CallPreview>();
  const approved = new Map<string, CallPreview | null>();
  for (const operation of operations) {
    if (operation.type === 'confirmationRequested')
      shown.set(operation.request.id, operation.request.preview!);
    if (operation.type === 'previewRenewed') shown.set(operation.requestId, operation.preview);
    if (operation.type === 'confirmationResolved')
      approved.set(
        operation.callId,
        operation.decision === 'edited' ? null : shown.get(operation.requestId)!,
      );
  }
  return approved;
}

/** Answers each question with the preview that it shows, until it is settled. */
function answering(session: LocalAgentSession, edits: readonly number[]): void {
  let number = 0;
  const answer = async (id: string, isEdited: boolean): Promise<void> => {
    await settle(2);
    const ask = session.pendingConfirmations.value.find((one) => one.id === id);
    const title = { ...ask?.call.arguments, title: 'Edited' };
    const outcome = await ask?.approve(isEdited ? { arguments: title } : {});
    if (typeof outcome === 'object') await answer(id, isEdited);
  };
  session.operations$.subscribe((operation) => {
    if (operation.type !== 'confirmationRequested' || operation.request.answeredBy !== 'signal') return;
    void answer(operation.request.id, edits.includes(number++));
  });
}

it('a call acts only on the preview that was approved last, is asked about at most twice, and then is a conflict', async () => {
  const property = fc.asyncProperty(schedule, async ({ part, calls, changes, names, slow, by, edits }) => {
    const titles = createTitles(part);
    const acted = new Map<string, string | undefined>();
    const domain = titles.domain();
    const [tool] = domain.tools;
    await using f = fixture(
      [callTools(...calls.map((id, index) => rename(id, `Title ${index}`))), say('Done.')],
      {
        domains: [
          {
            ...domain,
            tools: [
              {
                ...tool!,
                ...(names ? { resources: ({ id }: JsonObject) => [id as string] } : {}),
                preview: async (args: JsonObject, context) => {
                  const made = tool!.preview!(args, context);
                  await settle(slow);
                  return made;
                },
                execute: (args: JsonObject, context) => {
                  acted.set(context.callId, titles.all.get(args['id'] as string));
                  return tool!.execute(args, context);
                },
              },
            ],
          },
        ],
        guards: [forcedGuard('ask', { confirm: 'Rename?' })],
        looseScript: true,
        ...(by === 'handler'
          ? { confirm: async () => settle(2).then(() => ({ approve: true }) as const) }
          : {}),
      },
    );
    answering(f.session, edits);
    let left = changes;
    let isRunning = false;
    f.session.operations$.subscribe(({ sequence, type }) => {
      // Between its record and its executor nothing is compared any more; and a revision that moves while a call runs counts as that call's.
      if (type === 'toolStarted') isRunning = true;
      if (type === 'toolCompleted') isRunning = false;
      if (type === 'toolStarted' || (isRunning && names && part === 'revision')) return;
      const now = left.filter(({ at }) => at <= sequence);
      left = left.filter(({ at }) => at > sequence);
      for (const one of now) titles.set(one.card, `Mine ${one.at}`);
    });
    await f.session.send('Go');
    const { operations } = f.observed;
    const approved = approvedPreviews(operations);
    for (const [callId, before] of acted) {
      const preview = approved.get(callId)!;
      if (preview !== null) expect(preview).toMatchObject({ kind: 'change', before });
    }
    for (const operation of operations) {
      const id = operation.type === 'toolsRejected' ? operation.calls[0]!.callId : null;
      const asked = operations.filter(
        (one) => one.type === 'confirmationRequested' && one.request.call.id === id,
      );
      if (id !== null) expect(asked).toHaveLength(2);
    }
  });
  await fc.assert(property, propertyRun('previews', 200));
});
