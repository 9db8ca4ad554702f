import { AgentSessionError, type Provider } from '@banister/session';
import { withFallback } from '@banister/provider';
import type { Fault } from './fault.js';
import { paceOfAgent, type Pace } from './pace.js';

export interface OfflineOptions {
  readonly pace: Pace;
  /** The fault to simulate, if any. */
  readonly fault: Fault;
  /** Tokens of the context window. Default 24,000. */
  readonly contextWindow?: number | undefined;
}

/**
 * In tokens. It is small, so that a few turns visibly fill a part of it, and large enough that one plan takes
 * only a few percent.
 */
const CONTEXT_WINDOW = 24_000;
/** The smallest window, in tokens. It fits the tools and one turn. */
const LEAST_WINDOW = 1_000;

/** Returns the window in the page's address, as in `?window=4000`; undefined if the address has none. */
export function windowIn(query: URLSearchParams): number | undefined {
  const tokens = Number(query.get('window'));
  return Number.isSafeInteger(tokens) && tokens >= LEAST_WINDOW ? tokens : undefined;
}

/**
 * Creates a small model without a key, a network or any understanding: it matches plain commands against
 * rules. It uses the same protocol as a real model, with thinking, text and tool calls in fragments, and
 * knows only what the request says.
 */
export function offline(options: OfflineOptions): Provider {
  const model = rules('rules-1', options);
  return options.fault.kind === 'down' ? withFallback([down(model), rules('rules-2', options)]) : model;
}

/** Returns the same model behind a server that cannot be reached. */
function down(model: Provider): Provider {
  return {
    ...model,
    stream: () => {
      throw new AgentSessionError('network', 'The model cannot be reached.', { retry: { afterMs: 0 } });
    },
  };
}

function rules(model: string, { pace, fault, contextWindow = CONTEXT_WINDOW }: OfflineOptions): Provider {
  return {
    id: 'offline',
    model,
    capabilities: { images: true, pdfs: true, structuredOutput: true, contextWindow },
    async *stream(request, signal) {
      const { stepFor, streamStep } = await loadRules();
      const own = request.agent === undefined ? pace : paceOfAgent(pace);
      yield* streamStep(stepFor(request), { pace: own, fault, signal, inputTokens: tokensIn(request) });
    },
  };
}

/** The rules are loaded when the first message is answered, so that the first page is small. */
async function loadRules() {
  try {
    return await import('./rules.js');
  } catch {
    throw new AgentSessionError('network', 'The rules could not be loaded. Check the connection.');
  }
}

/** Loads the rules, so that a page that was loaded once needs no network for them. Never rejects. */
export async function preloadRules(): Promise<void> {
  await loadRules().catch(() => {});
}

/** Tokens of an image, regardless of its size in bytes. Servers count between about 80 and 1,600. */
const IMAGE_TOKENS = 1_000;
/** The bytes of a PDF page, which has an image and text. */
const PAGE_BYTES = 50_000;

/**
 * Returns a rough count, so that there is some usage to show: four characters per token. A file counts by its
 * content instead of its Base64.
 */
export function tokensIn(request: unknown): number {
  let files = 0;
  const text = JSON.stringify(request, (_, part: unknown) => {
    const tokens = fileTokens(part);
    files += tokens;
    return tokens === 0 ? part : 0;
  });
  return Math.ceil(text.length / 4) + files;
}

/** Returns 0 for a part that is not a file. */
function fileTokens(part: unknown): number {
  const { type, data } = (part ?? {}) as { readonly type?: unknown; readonly data?: unknown };
  if (type === 'image') return IMAGE_TOKENS;
  if (type !== 'file' || typeof data !== 'string') return 0;
  return Math.ceil((data.length * 3) / 4 / PAGE_BYTES) * 2 * IMAGE_TOKENS;
}
