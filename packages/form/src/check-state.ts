import type { JsonObject, ValidationIssue } from '@banister/session';
import { batch, signal, type ReadonlySignal } from '@banister/session/signals';

/** The issues of arguments; an empty list if they are valid. */
export type Issues = readonly ValidationIssue[];

/** Checks arguments. */
export type Check = (args: JsonObject) => Issues | Promise<Issues>;

/** The issues of the latest value. */
export interface CheckState {
  /** null while the promise of the check is pending. */
  readonly issues: ReadonlySignal<Issues | null>;
  /** Checks a value. The result of an earlier check is dropped. */
  run(value: JsonObject): void;
  /** Resolves when the latest value is checked. */
  settled(): Promise<void>;
}

/** @param failed the message if the check throws; the form is not valid then */
export function checkState(check: Check, failed: string): CheckState {
  const issues = signal<Issues | null>(null);
  const failure: Issues = [{ path: [], message: failed }];
  let latest: Promise<void> | null = null;
  const start = (value: JsonObject): Issues | Promise<Issues> => {
    try {
      return check(value);
    } catch {
      return failure;
    }
  };
  return {
    issues,
    run(value) {
      const found = start(value);
      if (!(found instanceof Promise)) {
        latest = null;
        issues.value = found;
        return;
      }
      const checked: Promise<void> = found
        .catch(() => failure)
        .then((known) => {
          // A later value has its own check.
          if (latest === checked) batch(() => ((latest = null), (issues.value = known)));
        });
      latest = checked;
      issues.value = null;
    },
    async settled() {
      while (latest !== null) await latest;
    },
  };
}
