import type { AgentSessionError, ErrorData } from '@banister/provider';
import { checked } from '@banister/provider/internal/errors/checked';
import { only, optional, wrong, type Read } from '@banister/provider/internal/json/shape';
import type { EffectFailure } from '../conversation/failure-reason.js';
import type { StopReason, ToolCallView } from '../conversation/turn-record.js';
import type { CallPreview } from '../consent/confirmation-operations.js';
import { resolvePorts, type GivenPorts } from '../ports/ports.js';
import { keepRaw } from '../signals/keep-raw.js';
import type { Signals } from '../signals/projection.js';
import { computed, signal, type ReadonlySignal } from '../signals/signals-core.js';
import { Phrases, type TitledCall } from './phrases.js';
import { ShownState } from './shown-state.js';
import type { WordTable } from './word-table.js';

/** The words for the user, from one table. Sessions, mirrors and remote sessions take them as the option `words`. */
export interface Words {
  /** Returns the sentence about an error with which a command rejected, or that the state contains. */
  error(error: AgentSessionError | ErrorData): string;
  /** Returns the sentence about why a turn stopped. */
  stop(stop: StopReason): string;
  /** Returns the sentence about why an effect stays as it is, for an item of `failed` in a report with which a command resolved. */
  failure(failed: EffectFailure): string;
  /**
   * Returns a failed preview with the sentence about why it failed; any other preview unchanged. It is meant for the result of `previewOf`.
   */
  preview(preview: CallPreview): CallPreview;
  /** Returns the sentence about why a call did not run, or failed; null if it succeeded, or has not ended. */
  call(call: ToolCallView): string | null;
  /** Returns the title of the tool of a call, or of an effect: the title in the table, or else in the log, or else the id of the tool. */
  title(call: TitledCall): string;
  /** Replaces the table. Sessions with these words publish their signals again. Throws `invalid-configuration` as `createWords` does. */
  use(table: WordTable): void;
  /** @internal Returns signals in which the words of the table replace the English words. */
  shown(signals: Signals): Signals;
}

/** The options of words. */
export interface WordsOptions {
  /** Called once for each phrase that throws, or that returns no text. Default: the platform's `reportError`. */
  readonly reportError?: GivenPorts['reportError'];
}

/**
 * Creates the words for the user from a table. The signals of sessions with these words show them: errors, reasons of questions, of stops
 * and of effects that stay, and titles of tools. `session.state`, operations and the log keep codes, values and the English words.
 *
 * @throws AgentSessionError `invalid-configuration` for an unknown section, and for a phrase that is neither a string nor a function
 *
 * @example
 * const words = createWords({
 *   errors: { cancelled: 'Abgebrochen.', 'max-rounds': ({ limit }) => `Nach ${limit} Runden ist Schluss.` },
 *   titles: { 'board.publish': 'Tafel veröffentlichen' },
 * });
 * const session = createAgentSession({ provider, domains, words });
 */
export function createWords(table: WordTable, options: WordsOptions = {}): Words {
  const { reportError } = resolvePorts({ reportError: options.reportError });
  const phrasesOf = (given: WordTable) => new Phrases(checkedTable(given), reportError);
  const phrases = signal(phrasesOf(table));
  const shown = computed(() => new ShownState(phrases.value));
  return keepRaw({
    error: (error) => phrases.value.error(error),
    stop: (stop) => phrases.value.stop(stop),
    failure: (failed) => phrases.value.failure(failed),
    preview: (preview) => phrases.value.preview(preview),
    call: (call) => phrases.value.call(call),
    title: (call) => phrases.value.title(call),
    use: (given) => {
      phrases.value = phrasesOf(given);
    },
    shown: (signals) => shownSignals(signals, shown),
  } satisfies Words);
}

const phrase: Read = (value, at) =>
  typeof value === 'string' || typeof value === 'function'
    ? value
    : wrong(at, 'it is neither a text nor a function');

const section: Read = (value, at) => {
  if (Object(value) !== value) return wrong(at, 'it is no object');
  for (const [key, one] of Object.entries(value as object)) optional(phrase)(one, `${at}.${key}`);
  return value;
};

const tableShape = only({
  errors: optional(section),
  stops: optional(section),
  questions: optional(section),
  previews: optional(section),
  failures: optional(section),
  calls: optional(section),
  titles: optional(section),
} satisfies Record<keyof WordTable, Read>);

function checkedTable(table: WordTable): WordTable {
  checked(tableShape, table, 'The words');
  return table;
}

/** Returns the signals with words for the user. They are computed when they are read, so that no signal is written twice. */
function shownSignals(signals: Signals, shown: ReadonlySignal<ShownState>): Signals {
  const by = <Key extends keyof Signals>(
    key: Key,
    show: (state: ShownState, value: NonNullable<Signals[Key]['value']>) => Signals[Key]['value'],
  ) =>
    keepRaw(
      computed(() => {
        const { value } = signals[key];
        return value === null ? value : show(shown.value, value as never);
      }),
    );
  return {
    ...signals,
    turns: by('turns', (state, turns) => state.turns(turns)),
    liveTurn: by('liveTurn', (state, turn) => state.turn(turn)),
    activeToolCalls: by('activeToolCalls', (state, calls) => state.calls(calls)),
    lastOutcome: by('lastOutcome', (state, outcome) => state.outcome(outcome)),
    lastError: by('lastError', (state, error) => state.error(error)),
    pendingConfirmations: by('pendingConfirmations', (state, list) => state.confirmations(list)),
    pendingConfirmation: by('pendingConfirmation', (state, asked) => state.confirmation(asked)),
    pendingReview: by('pendingReview', (state, review) => state.review(review)),
  };
}
