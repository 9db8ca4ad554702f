import type { Provider, ProviderRequest, UsageReport } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { wellFormed } from '@banister/provider/internal/json/well-formed';
import { addUsage } from '@banister/provider/internal/messages/usage-report';
import type { Observable } from 'rxjs';
import { fromAsync } from '../operations/from-async.js';
import type { TurnFact } from '../operations/operation.js';
import { providerBeside } from '../turn/members.js';
import { checkUsage, textOf as deltaOf } from '../turn/provider-contract.js';
import type { FeatureTurn } from '../turn/turn-parts.js';

/** The highest number of characters of a summary. A longer answer is refused. */
const MOST_CHARACTERS = 100_000;

/** The answer to the request for a summary: its text, or why there is none. */
export type SummaryAnswer = ({ readonly summary: string } | { readonly failure: string }) & {
  /** The last usage report of the provider; null if there was none. */
  readonly usage: UsageReport | null;
};

type SummarizingTurn = Pick<FeatureTurn, 'settings' | 'spending' | 'ports' | 'current'>;

/**
 * Sends the request for a summary once, and reads the answer. Its usage counts for the turn, whose limits may trip. If the provider fails,
 * or takes longer than `timeoutMs`, the answer has no summary.
 *
 * @param take called with the answer; returns the last fact
 */
export function readSummary(
  turn: SummarizingTurn,
  request: ProviderRequest,
  timeoutMs: number,
  take: (answer: SummaryAnswer) => TurnFact,
): Observable<TurnFact> {
  return fromAsync((facts) => {
    const connection = new AbortController();
    const hangUp = () => connection.abort();
    facts.add(hangUp);
    return new Promise<void>((resolve, reject) => {
      let usage: UsageReport | null = null;
      const end = (answer: { readonly summary: string } | { readonly failure: string }) => {
        if (facts.closed || connection.signal.aborted) return;
        stopTimer();
        facts.remove(hangUp);
        facts.next(take({ ...answer, usage }));
        resolve();
      };
      const stopTimer = turn.ports.clock.schedule(() => {
        end({ failure: `the model took longer than ${timeoutMs} ms` });
        hangUp();
      }, timeoutMs);
      facts.add(stopTimer);
      const report = (given: UsageReport) => {
        checkUsage(given);
        usage = addUsage(given, null);
        const sum = turn.spending.usageWith(given);
        if (sum === null) return;
        facts.next({ type: 'usage', report: sum, budget: turn.spending.budget({ usage: sum }) });
        try {
          turn.spending.checkUsage();
        } catch (error) {
          // A limit of the turn tripped. The turn ends as after any other answer.
          reject(error as Error);
        }
      };
      textOf(providerBeside(turn), request, connection.signal, report).then(
        (text) => end(text === '' ? { failure: 'the model wrote nothing' } : { summary: text }),
        (error: unknown) => end({ failure: messageOf(error) }),
      );
    });
  });
}

/** Resolves with the text of an answer. Rejects if the answer is incomplete, is a refusal, or calls a tool. */
async function textOf(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal,
  report: (usage: UsageReport) => void,
): Promise<string> {
  let text = '';
  let isWhole = false;
  for await (const event of provider.stream(request, signal)) {
    if (signal.aborted) throw new Error('it was cut');
    if (event.type === 'text' && event.refusal) throw new Error('the model refused');
    if (event.type === 'text') text += deltaOf(event);
    else if (event.type === 'usage') report(event.usage);
    else if (event.type === 'finish') {
      // A summary that ended at its token limit can still be used.
      if (event.reason !== 'stop' && event.reason !== 'length')
        throw new Error(`the model ended its answer with "${event.reason}"`);
      isWhole = true;
    }
    if (text.length > MOST_CHARACTERS) throw new Error('the answer of the model is too long');
  }
  if (!isWhole) throw new Error('the connection to the model ended before its answer was whole');
  return wellFormed(text).trim();
}
