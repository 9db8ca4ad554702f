// T8: helpers for adapters are in the package for adapters, and not in the entry that apps complete from.
import type * as app from '@banister/session';
import type * as adapter from '@banister/provider';
import { expectTypeOf } from 'vitest';

type Helper =
  | 'addUsage'
  | 'createWireNames'
  | 'strictParse'
  | 'systemClock'
  | 'toSessionError'
  | 'wellFormed'
  | 'wireCallIds';

expectTypeOf<Extract<keyof typeof app, Helper>>().toEqualTypeOf<never>();
expectTypeOf<Extract<keyof typeof adapter, Helper>>().toEqualTypeOf<Helper>();
