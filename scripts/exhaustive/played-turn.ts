import type { Provider } from '@banister/provider';
import {
  callsOf,
  createAgentSession,
  immediate,
  isAgentSessionError,
  type SchemaValidator,
  type TurnStatus,
} from '@banister/session';
import { createOrderChecker, validateHistory, validateRequest } from '@banister/testing';
import { apis, type ApiName } from '../replay/apis.js';
import type { Chunking } from '../replay/chunking.js';
import { calledTools, createRecordedTools } from '../replay/recorded-tools.js';
import { serveInMemory } from '../replay/serve-in-memory.js';
import type { Script } from '../replay/serve-once.js';
import { goodAnswers } from './good-answers.js';

/** The turn that resulted from a body. */
export interface PlayedTurn {
  readonly status: TurnStatus;
  /** The code of the error with which the turn failed; empty if it did not fail. */
  readonly code: string;
  /** The text of the first round, from the body. */
  readonly text: string;
  readonly thinking: string;
  /** The calls of the first round that ran, with their arguments. */
  readonly executed: readonly string[];
  /** What the session violated of its promises; empty if it kept them all. */
  readonly problems: readonly string[];
}

/** Plays bodies instead of a recorded answer. */
export interface BodyPlayer {
  play(body: Buffer, chunking?: Chunking): Promise<PlayedTurn>;
}

/** How long a turn may take before it counts as hanging, in milliseconds. In memory it takes a few milliseconds. */
const PATIENCE = 30_000;

/**
 * The addresses of the recorded servers; no request goes to them. For Anthropic's own address, reasoning without a signature is not sent,
 * because the API refuses it; a corruption can remove a signature.
 */
const servers: Readonly<Record<ApiName, string>> = {
  'openai-chat': 'http://recording.invalid',
  'openai-responses': 'http://recording.invalid',
  'anthropic-messages': 'http://recording.anthropic.com',
};

/** Tools here accept any arguments, because compiling their schema for every turn would take most of the time. */
const validator: SchemaValidator = { compile: () => () => [] };

/**
 * Plays bodies of an API to real turns, each in its own session: official client, provider, session, and tools with the names that the
 * recording calls. After the body, the server gives good answers, and the user asks once more, so that the resulting conversation is sent.
 *
 * @param recorded a body that contains the names of the tools
 */
export async function createBodyPlayer(api: ApiName, recorded: Buffer): Promise<BodyPlayer> {
  let answer: typeof globalThis.fetch = () => Promise.reject(new TypeError('Nothing is played.'));
  const provider = await apis[api].createProvider(servers[api], (...args) => answer(...args));
  const good = scriptOf(Buffer.from(goodAnswers[api]));
  answer = serveInMemory(scriptOf(recorded), good);
  const names = await calledTools(provider);
  return {
    async play(body, chunking) {
      const requests: unknown[] = [];
      answer = serveInMemory(scriptOf(body, chunking), good, (request) => requests.push(request));
      const played = await playTurn(provider, names);
      const refused = requests.flatMap((request) => validateRequest(api, request));
      return { ...played, problems: [...played.problems, ...refused, ...prototypeProblems()] };
    },
  };
}

async function playTurn(recordedProvider: Provider, names: readonly string[]): Promise<PlayedTurn> {
  const tools = createRecordedTools(names);
  const problems: string[] = [];
  const checker = createOrderChecker();
  await using session = createAgentSession({
    provider: tools.rename(recordedProvider),
    domains: tools.domains,
    // Denies the approvals for tools of other servers.
    confirm: () => ({ approve: false, reason: 'Not now.' }),
    limits: { maxRetries: 0, maxToolCalls: Infinity },
    ports: { scheduler: immediate(), validator },
  });
  session.operations$.subscribe((operation) => problems.push(...checker.check(operation)));
  const ask = async (words: string): Promise<string> => {
    try {
      await withPatience(session.send(words));
      return '';
    } catch (error) {
      if (!isAgentSessionError(error)) throw error;
      return error.code;
    }
  };

  const code = await ask('Replay.');
  const turn = session.state.turns.at(-1);
  const parts = turn?.rounds[0]?.parts ?? [];
  const again = await ask('Once more.');
  if (code === 'provider-contract') problems.push('the provider breaks the contract of its port');
  if (again !== '') problems.push(`the turn after it fails with ${again}`);
  problems.push(...validateHistory(session.state.conversation.messages));
  return {
    status: turn?.outcome?.status ?? 'failed',
    code,
    text: joined(parts, 'text'),
    thinking: joined(parts, 'thinking'),
    executed: callsOf(turn?.rounds[0])
      .filter((call) => tools.executed.has(call.id))
      .map(({ providerCallId, tool, argumentsText }) => `${providerCallId} ${tool} ${argumentsText}`),
    problems,
  };
}

function joined(
  parts: readonly { readonly type: string; readonly text?: string }[],
  type: 'text' | 'thinking',
): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('');
}

function scriptOf(body: Buffer, chunking: Chunking = { kind: 'whole' }): Script {
  return { body, status: 200, contentType: 'text/event-stream', chunking, cut: Infinity, reset: false };
}

/** @throws Error, which is none of the session's, when nothing happens any more */
async function withPatience<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happens for ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

const cleanKeys = ownKeysOfPrototypes();

function ownKeysOfPrototypes(): string {
  return [Object.prototype, Array.prototype, Function.prototype]
    .map((prototype) => Reflect.ownKeys(prototype).length)
    .join();
}

function prototypeProblems(): readonly string[] {
  return ownKeysOfPrototypes() === cleanKeys ? [] : ['a prototype has been written to'];
}
