import type { Provider } from '@banister/provider';
import { say, scriptedProvider } from '@banister/testing';
import { gateway, type GatewayOptions } from '../src/index.js';

// Requests as a page sends them, without a socket.

export const address = 'https://app.example/agent';

/** The body of a request for an answer. */
export function bodyOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    version: 1,
    system: 'You help.',
    messages: [userText('Hello.')],
    tools: [],
    idempotencyKey: 'turn-1',
    ...changes,
  };
}

export function userText(text: string) {
  return { id: `message-${text}`, role: 'user', parts: [{ type: 'text', text }] };
}

/** A request for an answer; `body` may be any text. */
export function post(
  body: unknown = bodyOf(),
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Request {
  return new Request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

/** The headers of a read. Without them the `fetch` of Node accepts any type, and the gateway refuses that. */
export const reading = { accept: 'application/json' };

/** Options with which every request is answered. */
export function options(changes: Partial<GatewayOptions> = {}): GatewayOptions {
  return {
    provider: answering(),
    authorize: () => ({ user: 'u1' }),
    policy: { free: true },
    seal: 'per-process',
    ...changes,
  };
}

export function answering(text = 'Hi there.'): Provider {
  return scriptedProvider([], { otherwise: say(text), validate: false });
}

export function handle(changes: Partial<GatewayOptions> = {}) {
  return gateway(options(changes));
}

/** The lines of an answer. */
export async function linesOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The status and the code of a refusal. */
export async function refusalOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

/** The text of an answer. */
export function textOf(lines: readonly Record<string, unknown>[]): string {
  return lines.map(({ type, delta }) => (type === 'text' ? String(delta) : '')).join('');
}
