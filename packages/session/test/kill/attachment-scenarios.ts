import type { ProviderRequest } from '@banister/provider';
import {
  callTools,
  fail,
  say,
  settle,
  stall,
  type AnswerSource,
  type ScriptedAnswer,
} from '@banister/testing';
import { pdf, pdfFile, pngFile, textFile } from '../files.js';
import type { Scenario } from './scenario.js';

const call = (title: string) => ({ tool: 'board.add', args: { title } });
const done = say('Done.', { usage: { inputTokens: 10, outputTokens: 5 } });

/** An answer to a request that has the content of the PDF. Another request fails. */
const withPdf =
  (answer: ScriptedAnswer) =>
  ({ messages }: ProviderRequest): ScriptedAnswer =>
    messages.some(({ parts }) => parts.some((part) => part.type === 'file' && part.data === pdf.data))
      ? answer
      : fail('provider-contract');

/** The repeated turn is another one with the same message. */
const stallsInFirstTurn: AnswerSource = (request) =>
  request.idempotencyKey?.startsWith('turn_1-') ? stall('Half') : withPdf(done)(request);

/** Lives of a session whose messages have files. */
export const attachmentScenarios: readonly Scenario[] = [
  {
    name: 'attachments: a message with files, and the turn after it',
    turns: { Go: [withPdf(callTools(call('A'))), withPdf(done)], More: [withPdf(done)] },
    run: async ({ session }) => {
      await session.send({ text: 'Go', files: [pngFile(), pdfFile(), textFile('Hello')] });
      await session.send({ text: 'More', files: [pngFile('again.png')] });
    },
  },
  {
    name: 'attachments: messages in the queue, one of which steers',
    turns: { Go: [callTools(call('A')), done], Also: [done, withPdf(done)], More: [withPdf(done)] },
    run: async ({ session }) => {
      const turn = session.send('Go');
      const steered = session.steer({ text: 'Also', files: [pdfFile()] });
      const more = session.enqueue({ text: 'More', files: [pdfFile(), pngFile()] });
      await Promise.all([turn, steered, more]);
    },
  },
  {
    name: 'attachments: a turn that is cancelled, retried and edited',
    turns: {
      Go: [[stallsInFirstTurn, withPdf(done)]],
      Edited: [withPdf(callTools(call('B'))), withPdf(done)],
    },
    ends: ['cancelled', 'completed', 'completed'],
    run: async ({ session }) => {
      const turn = session.send({ text: 'Go', files: [pdfFile()] }).catch(() => {});
      await settle(50);
      await session.cancel();
      await turn;
      await session.retry();
      const { id, input } = session.turns.value[0]!;
      const files = input.parts.filter((part) => part.type === 'attachment');
      await session.edit(id, { text: 'Edited', files: [...files, textFile('More')] });
    },
  },
];
