interface Family {
  readonly vendor: string;
  /** The vendor's names of the models, with or without a date. */
  readonly names: RegExp;
  readonly vision: boolean;
}

/**
 * The models that accept images, by family, because no public list covers all of them. As of November 2026, from the
 * vendors' own pages: https://platform.openai.com/docs/models and https://platform.claude.com/docs/en/build-with-claude/vision.
 * The first family that matches counts; if no family matches, nothing is known.
 */
const families: readonly Family[] = [
  { vendor: 'openai', names: /^(gpt-3\.5|gpt-4(-32k)?(-\d{4})?$|o1-mini|o1-preview|o3-mini)/, vision: false },
  {
    vendor: 'openai',
    names: /^(gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|o1|o3|o4-mini)(?!.*(audio|realtime|search|transcribe|tts))/,
    vision: true,
  },
  { vendor: 'anthropic', names: /^claude-(2|instant)/, vision: false },
  { vendor: 'anthropic', names: /^claude-(3|opus|sonnet|haiku)/, vision: true },
];

/** Whether a model accepts images; undefined if it is not known. */
export function visionOf(vendor: string, model: string): boolean | undefined {
  return families.find((family) => family.vendor === vendor && family.names.test(model))?.vision;
}
