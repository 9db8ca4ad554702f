import { monotonicTime, systemClock, type Clock } from '@banister/provider';
import type { QuotaClaim, QuotaStore, Reservation, Reserved } from './quota-store.js';

/** The amount that was spent in a span, which began at `start`. */
interface Window {
  start: number;
  spent: number;
}

/** A running answer with its reservation. */
interface Running {
  readonly claims: readonly QuotaClaim[];
  readonly at: number;
  readonly until: number;
}

interface Account {
  /** By claim and span, because the policies of a user may differ in both. */
  readonly windows: Map<string, Window & { spanMs: number }>;
  readonly running: Map<string, Running>;
  /** Keys of finished answers, with the time until which each is remembered; oldest first. */
  readonly done: Map<string, number>;
}

/** The maximal number of remembered keys of a user. */
const MOST_KEYS = 5_000;
/** The number of reservations between two searches for empty accounts. */
const SWEEP_EVERY = 1_000;

/**
 * Counts in the memory of this process: a restart forgets everything, and each of several processes grants the whole quota. It is the
 * default, and enough for a single process. For each user it remembers the last 5,000 keys, each for its time.
 *
 * @example
 * const handle = gateway({ provider, authorize, quotas: memoryQuotas() });
 */
export function memoryQuotas({
  clock = systemClock,
}: { readonly clock?: Clock | undefined } = {}): QuotaStore {
  const accounts = new Map<string, Account>();
  let reservations = 0;
  return {
    // Synchronous, so that checking and booking are one step.
    reserve({ user, key }, claims, ttlMs) {
      // Monotonic: otherwise setting the clock back would open a new span.
      const now = monotonicTime(clock);
      if (++reservations % SWEEP_EVERY === 0) sweep(accounts, now);
      const account = accountOf(accounts, user);
      expire(account, now);
      const seen = account.running.has(key) ? 'running' : account.done.has(key) ? 'done' : null;
      if (seen !== null) return { ok: false, seen };
      for (const claim of claims) {
        const room = refusalOf(account, claim, now);
        if (room !== null) return room;
      }
      for (const { name, amount, spanMs } of claims)
        if (spanMs !== null) windowOf(account, name, spanMs, now).spent += amount;
      account.running.set(key, { claims, at: now, until: now + ttlMs });
      return { ok: true };
    },
    settle: ({ user, key }, spent) => settle(accounts.get(user), key, spent, monotonicTime(clock)),
  };
}

function settle(
  account: Account | undefined,
  key: Reservation['key'],
  spent: Readonly<Record<string, number>>,
  now: number,
): void {
  const running = account?.running.get(key);
  if (account === undefined || running === undefined) return;
  account.running.delete(key);
  account.done.set(key, now + (running.until - running.at));
  if (account.done.size > MOST_KEYS) account.done.delete(account.done.keys().next().value!);
  for (const { name, amount, spanMs } of running.claims) {
    const window = account.windows.get(`${name} ${spanMs}`);
    // Do not give back to a later span what was taken from an earlier span.
    if (spanMs === null || window === undefined || window.start > running.at) continue;
    window.spent = Math.max(0, window.spent + (spent[name] ?? amount) - amount);
  }
}

function refusalOf(
  account: Account,
  { name, amount, max, spanMs }: QuotaClaim,
  now: number,
): Extract<Reserved, { readonly claim: string }> | null {
  if (spanMs === null) {
    let held = amount;
    for (const { claims } of account.running.values())
      for (const claim of claims) if (claim.name === name) held += claim.amount;
    return held <= max ? null : { ok: false, claim: name, waitMs: null };
  }
  const { spent, start } = windowOf(account, name, spanMs, now);
  if (spent + amount <= max) return null;
  // An amount above the maximum never fits.
  return { ok: false, claim: name, waitMs: amount > max ? null : start + spanMs - now };
}

function windowOf(account: Account, claim: string, spanMs: number, now: number): Window {
  const name = `${claim} ${spanMs}`;
  const known = account.windows.get(name);
  if (known !== undefined && now < known.start + spanMs) return known;
  const window = { start: now, spent: 0, spanMs };
  account.windows.set(name, window);
  return window;
}

function accountOf(accounts: Map<string, Account>, user: string): Account {
  const known = accounts.get(user);
  if (known !== undefined) return known;
  const account = { windows: new Map(), running: new Map(), done: new Map() };
  accounts.set(user, account);
  return account;
}

/** Forgets lost answers and expired keys. */
function expire({ running, done }: Account, now: number): void {
  for (const [key, { until }] of running) if (until <= now) running.delete(key);
  for (const [key, until] of done) {
    if (until > now) break;
    done.delete(key);
  }
}

function sweep(accounts: Map<string, Account>, now: number): void {
  for (const [user, account] of accounts) {
    expire(account, now);
    const isSpending = [...account.windows.values()].some(({ start, spanMs }) => now < start + spanMs);
    if (!isSpending && account.running.size === 0 && account.done.size === 0) accounts.delete(user);
  }
}
