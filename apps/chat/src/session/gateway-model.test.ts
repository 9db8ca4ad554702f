import { AgentSessionError } from '@banister/provider';
import { expect, test } from 'vitest';
import { clearer } from './gateway-model.js';
import { gatewayIn, gatewayLabels } from './gateway-offer.js';

const pageWith = (content?: string) =>
  ({ querySelector: () => (content === undefined ? null : { content }) }) as unknown as Document;

test("the gateway's offer is read from the page, and anything else is ignored", () => {
  const models = [{ alias: 'default', name: 'gpt-5-mini' }];
  const offer = gatewayIn(pageWith(JSON.stringify({ url: '/agent', models })))!;
  expect(offer).toEqual({ url: '/agent', models });
  expect(gatewayLabels(offer)).toEqual([['gateway:default', 'Gateway (gpt-5-mini)']]);
  const two = { url: '/agent', models: [...models, { alias: 'smart', name: 'claude-sonnet-5' }] };
  expect(gatewayLabels(two)[1]).toEqual(['gateway:smart', 'Gateway: smart (claude-sonnet-5)']);
  for (const content of [undefined, '', '{', '[]', '{"url":"/agent","models":[]}', '{"url":1,"models":[{}]}'])
    expect(gatewayIn(pageWith(content)), content).toBe(null);
});

test('an error of the gateway keeps its code and says what can be done', () => {
  const told = (error: AgentSessionError) => clearer(error) as AgentSessionError;
  expect(told(new AgentSessionError('auth', 'Incorrect API key provided.'))).toMatchObject({
    code: 'auth',
    message: expect.stringContaining('did not accept the key') as string,
  });
  const limited = new AgentSessionError('rate-limit', 'Slow down.', { retry: { afterMs: 12_300 } });
  expect(told(limited)).toMatchObject({
    code: 'rate-limit',
    retry: { afterMs: 12_300 },
    message: 'Too many requests at the moment. Try again in 13 s.',
  });
  expect(told(new AgentSessionError('rate-limit', '', { retry: { afterMs: 240_000 } })).message).toContain(
    'in 4 min',
  );
  const unreachable = new AgentSessionError('network', 'No.', { cause: new TypeError('Failed to fetch') });
  expect(told(unreachable).message).toContain('Check that npm start still runs');
  expect(told(new AgentSessionError('network', 'Refused.')).message).toContain(
    'could not reach the model’s server',
  );
  const cancelled = new AgentSessionError('cancelled', 'The request was cancelled.');
  expect(clearer(cancelled)).toBe(cancelled);
});
