// T3: every option of a provider that may be absent may be undefined.
import { anthropic, type AnthropicOptions } from '@banister/anthropic';
import { withModelFacts, type ModelFactsOptions } from '@banister/model-facts';
import { onDevice, type DownloadOptions, type OnDeviceOptions } from '@banister/on-device';
import { openai, type OpenAIOptions } from '@banister/openai';
import type { AnswerLimits } from '@banister/wire';

/** The options with every optional one present and undefined. */
export type Undefined<Options> = {
  readonly [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? undefined
    : Options[Name];
};

declare const forOpenAI: Undefined<OpenAIOptions>;
declare const forAnthropic: Undefined<AnthropicOptions>;
declare const forDevice: Undefined<OnDeviceOptions>;
declare const forDownload: Undefined<DownloadOptions>;
declare const forFacts: Undefined<ModelFactsOptions>;
declare const limits: Undefined<AnswerLimits>;

openai(forOpenAI);
anthropic({ ...forAnthropic, limits });
await onDevice(forDevice).download(forDownload);
withModelFacts(openai(forOpenAI), forFacts);
