// T8: the entry of a provider offers apps what apps use, and the wire offers adapters what adapters use.
import type * as anthropic from '@banister/anthropic';
import type * as facts from '@banister/model-facts';
import type * as device from '@banister/on-device';
import type * as openai from '@banister/openai';
import type * as wire from '@banister/wire';
import { expectTypeOf } from 'vitest';

expectTypeOf<keyof typeof anthropic>().toEqualTypeOf<'anthropic' | 'preloadAnthropic'>();
expectTypeOf<keyof typeof openai>().toEqualTypeOf<'openai' | 'preloadOpenAI'>();
expectTypeOf<keyof typeof device>().toEqualTypeOf<'onDevice'>();
expectTypeOf<keyof typeof facts>().toEqualTypeOf<'modelFacts' | 'withModelFacts'>();

type Internal =
  | 'addKeyOf'
  | 'createRedactor'
  | 'EventGate'
  | 'isBrowser'
  | 'MalformedEvent'
  | 'resolveAnswerLimits'
  | 'retryAfter'
  | 'watchEvents'
  | 'wiredClientOptions';

expectTypeOf<Extract<keyof typeof wire, Internal>>().toEqualTypeOf<never>();
