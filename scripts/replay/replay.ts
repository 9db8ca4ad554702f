import { isJsonObject, strictParse, type JsonValue } from '@banister/provider';
import { createHash } from 'node:crypto';
import {
  callsOf,
  createAgentSession,
  immediate,
  isAgentSessionError,
  type OperationOf,
} from '@banister/session';
import { apis, type ApiName } from './apis.js';
import { calledTools, createRecordedTools } from './recorded-tools.js';
import { serveInMemory } from './serve-in-memory.js';
import { serveOnce, type Script } from './serve-once.js';
import { createSpokenText } from './spoken-text.js';

/** A call of a recorded answer. */
export interface ReplayedCall {
  readonly id: string;
  readonly name: string;
  /** An object; or the original string, if it is not an object. */
  readonly arguments: JsonValue;
  readonly executed: boolean;
}

/** The result of a replay: the line that is printed. */
export interface Replayed {
  /** The status of the answer's stream; what the session did afterwards does not count. */
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly text: string;
  readonly textSha256: string;
  /** The text in which the model refused, if the API separates it from other text. */
  readonly refusal?: string;
  readonly reasoning: string;
  readonly reasoningSha256: string;
  readonly toolCalls: readonly ReplayedCall[];
  /** The server's tools for which the answer requests an approval, if it does. Each is denied. */
  readonly approvals?: readonly string[];
  readonly usage: Readonly<Record<string, number | null>> | null;
  /** The stop reason in the server's own words. */
  readonly stopReason: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** How an answer reaches the client: over a local socket, or in memory. */
export type Wire = 'socket' | 'memory';

/** The time limit of a turn, in milliseconds: long enough for a body in single bytes. */
const PATIENCE = 600_000;

/** Plays a recorded answer to a real turn: server, official client, provider, session, tools. */
export async function replay(apiName: ApiName, script: Script, wire: Wire = 'socket'): Promise<Replayed> {
  const api = apis[apiName];
  const further = afterwards(script, api.nothingMore);
  const inMemory = () => api.createProvider('http://recording.invalid', serveInMemory(script, further));
  const tools = createRecordedTools(await calledTools(await inMemory()));
  const spoken = createSpokenText();
  const approvals: string[] = [];

  await using server = wire === 'socket' ? await serveOnce(script, further) : null;
  const provider = spoken.listen(
    tools.rename(server ? await api.createProvider(server.url) : await inMemory()),
  );
  await using session = createAgentSession({
    provider,
    domains: tools.domains,
    // A single round: the model is not asked again after the calls.
    limits: { maxRounds: 1, maxRetries: 0, maxToolCalls: Infinity, timeoutMs: PATIENCE, onTrip: 'stop' },
    // A question would wait forever, because there is no user.
    confirm: ({ call }) => {
      approvals.push(call.tool);
      return { approve: false, reason: 'A replay approves nothing.' };
    },
    ports: { scheduler: immediate() },
  });
  let finished: OperationOf<'modelCallFinished'> | null = null as OperationOf<'modelCallFinished'> | null;
  session.operations$.subscribe((operation) => {
    if (operation.type === 'modelCallFinished') finished = operation;
  });
  const failure = await session.send('Replay.').then(
    () => null,
    (error: unknown) => error,
  );

  const { currentText, currentThinking, turns } = session.state;
  const text = spoken.without(currentText);
  const error = finished?.error ?? errorOf(failure);
  return {
    status: error === null ? 'completed' : error.code === 'interrupted' ? 'interrupted' : 'failed',
    text,
    textSha256: sha256(text),
    ...(spoken.refusal === '' ? {} : { refusal: spoken.refusal }),
    reasoning: currentThinking,
    reasoningSha256: sha256(currentThinking),
    toolCalls: callsOf(turns.at(-1)?.rounds[0]).map(({ id, providerCallId, tool, argumentsText }) => ({
      id: providerCallId ?? id,
      name: tools.nameOf(tool),
      arguments: argumentsOf(argumentsText),
      executed: tools.executed.has(id),
    })),
    ...(approvals.length === 0 ? {} : { approvals }),
    usage: finished?.usage ? api.usageOf(finished.usage) : null,
    stopReason: finished?.rawStopReason ?? stopReasonIn(finished?.error?.details),
    error: error && { code: error.code, message: error.message },
  };
}

/** SHA-256 of the UTF-8 text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function afterwards(script: Script, body: string): Script {
  return { ...script, body: Buffer.from(body), chunking: { kind: 'whole' }, cut: Infinity, reset: false };
}

function argumentsOf(text: string): JsonValue {
  if (text.trim() === '') return {};
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : text;
}

function errorOf(failure: unknown): { readonly code: string; readonly message: string } | null {
  if (failure === null) return null;
  if (isAgentSessionError(failure)) return failure;
  throw failure; // a fault of this tool
}

/** If the stream failed, its details may name the reason. */
function stopReasonIn(details: Readonly<Record<string, JsonValue>> | undefined): string | null {
  const reason = details?.['finishReason'] ?? details?.['stopReason'];
  return typeof reason === 'string' ? reason : null;
}
