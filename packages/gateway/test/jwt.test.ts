import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet, type JWTPayload } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { gateway } from '../src/index.js';
import { jwt, type JwtOptions } from '../src/jwt.js';
import { options, post, refusalOf } from './ask.js';

const issuer = 'https://id.example';
let jwks: JSONWebKeySet;
let sign: (
  claims: JWTPayload,
  changes?: { readonly alg?: string; readonly key?: CryptoKey | Uint8Array },
) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
  sign = (claims, { alg = 'ES256', key = privateKey } = {}) =>
    new SignJWT({ iss: issuer, aud: 'board', sub: 'u1', exp: Math.floor(Date.now() / 1_000) + 60, ...claims })
      .setProtectedHeader({ alg, kid: 'k1' })
      .sign(key);
});

const authorize = (changes: Partial<JwtOptions> = {}) => jwt({ jwks, issuer, audience: 'board', ...changes });
const bearer = (token: string) => post(undefined, { authorization: `Bearer ${token}` });

describe('jwt', () => {
  test('returns the user of a token with a valid signature, issuer, audience and time', async () => {
    expect(await authorize()(bearer(await sign({})))).toEqual({ user: 'u1', policy: undefined });
    const ask = gateway(options({ authorize: authorize() }));
    expect((await ask(bearer(await sign({})))).status).toBe(200);
  });

  test('takes the user and the policy from the claims', async () => {
    const own = authorize({
      user: ({ sub, tenant }) => `${String(tenant)}/${sub}`,
      policy: ({ plan }) => ({ free: true, roundsPerMinute: plan === 'pro' ? 100 : 5 }),
    });
    expect(await own(bearer(await sign({ tenant: 't1', plan: 'pro' })))).toEqual({
      user: 't1/u1',
      policy: { free: true, roundsPerMinute: 100 },
    });
  });

  test('audit-X9 accepts no insecure address for the keys', () => {
    for (const address of ['http://id.example/jwks.json', 'ftp://id.example/jwks.json', '/jwks.json'])
      expect(() => authorize({ jwks: address })).toThrow('begin with https:');
    expect(() => authorize({ jwks: new URL('http://id.example/jwks.json') })).toThrow('begin with https:');
    for (const address of ['https://id.example/jwks.json', 'http://127.0.0.1:8080/jwks.json'])
      expect(() => authorize({ jwks: address })).not.toThrow();
  });

  test('refuses every other token with 401', async () => {
    const other = await generateKeyPair('ES256');
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(`{"iss":"${issuer}","aud":"board","sub":"u1","exp":9999999999}`)}.`;
    const tokens: readonly [string, string][] = [
      ['of another issuer', await sign({ iss: 'https://evil.example' })],
      ['for another audience', await sign({ aud: 'shop' })],
      ['that is over', await sign({ exp: 1_000 })],
      ['without an end', await sign({ exp: undefined })],
      ['without a user', await sign({ sub: undefined })],
      ['with an empty user', await sign({ sub: '' })],
      ['signed by another key', await sign({}, { key: other.privateKey })],
      [
        'signed with the public key as a secret',
        await sign({}, { alg: 'HS256', key: new TextEncoder().encode(JSON.stringify(jwks.keys[0])) }),
      ],
      ['without a signature', unsigned.replaceAll('=', '')],
      ['that is none', 'abc'],
      [
        'with a changed claim',
        (await sign({})).replace(/\.[^.]+\./, `.${btoa('{"sub":"u2"}').replaceAll('=', '')}.`),
      ],
    ];
    const ask = gateway(options({ authorize: authorize() }));
    for (const [name, token] of tokens)
      expect([name, ...(await refusalOf(await ask(bearer(token))))]).toEqual([name, 401, 'auth']);
    for (const header of ['', 'Basic abc', 'Bearer', `bearer`])
      expect((await ask(post(undefined, header === '' ? {} : { authorization: header }))).status).toBe(401);
  });

  test('fetches the keys from an address; if that fails, no request is served', async () => {
    await using server = await startByteServer(
      { status: 500, body: '' },
      { body: JSON.stringify(jwks), headers: { 'content-type': 'application/json' } },
    );
    const token = await sign({});
    const errors: unknown[] = [];
    const ask = gateway(
      options({
        authorize: authorize({ jwks: `${server.url}/keys` }),
        onError: ({ error }) => void errors.push(error),
      }),
    );
    expect(await refusalOf(await ask(bearer(token)))).toEqual([500, 'server']);
    expect(errors).toHaveLength(1);
    expect((await ask(bearer(token))).status).toBe(200);
  });

  test('throws without an issuer or an audience', () => {
    for (const none of ['', [], [''], undefined, [undefined], null] as never[])
      for (const changes of [{ issuer: none }, { audience: none }])
        expect(() => authorize(changes)).toThrow(
          expect.objectContaining({
            code: 'invalid-configuration',
            message: expect.stringContaining('issuer and audience') as string,
          }),
        );
  });
});
