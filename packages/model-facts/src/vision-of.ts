interface Family {
  readonly vendor: string;
  /** Names as the vendor writes them, with a date behind or without. */
  readonly names: RegExp;
  readonly vision: boolean;
}

/**
 * Which models accept images, by family: no list that others keep says so for all of them. As of November 2026, from the
 * vendors' own pages: https://platform.openai.com/docs/models and https://platform.claude.com/docs/en/build-with-claude/vision.
 * The first family that fits counts. Of a model that fits none, nothing is known.
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

/** Whether a model accepts images; undefined where nobody here knows. */
export function visionOf(vendor: string, model: string): boolean | undefined {
  return families.find((family) => family.vendor === vendor && family.names.test(model))?.vision;
}
