import type { Resolution } from '../guards/decision.js';
import type { JsonObject } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import type { MadePreview } from './turn-previews.js';

/** The ways to make the previews of a question. */
export interface PreviewMaker {
  /** As {@link TurnPreviews.make}. */
  make(args: JsonObject, signal: AbortSignal, before?: MadePreview): Promise<MadePreview>;
  /** As {@link TurnPreviews.isOld}. */
  isOld(made: MadePreview): boolean;
}

/** The most previews of edited arguments that are kept for an approval. */
const MOST_EDITED = 8;

/** The preview that a question shows, and those of the arguments that the user edits. */
export class QuestionPreview {
  /** The previews of edited arguments since the one that is shown was made, the newest last. */
  private edited: readonly MadePreview[] = [];
  private isRenewing = false;

  constructor(
    private shown: MadePreview,
    private readonly maker: PreviewMaker,
    private readonly signal: AbortSignal,
  ) {}

  /** Makes the preview again where something has happened since. Resolves with it where it is another one, else with null. */
  async renewed(): Promise<MadePreview | null> {
    const { shown, maker } = this;
    if (this.isRenewing || !maker.isOld(shown)) return null;
    this.isRenewing = true;
    const made = await maker.make(shown.arguments, this.signal, shown);
    this.isRenewing = false;
    this.shown = made;
    this.edited = [];
    return made.digest === shown.digest ? null : made;
  }

  /** Makes the preview of edited arguments. */
  async of(edited: JsonObject): Promise<MadePreview> {
    const made = await this.maker.make(edited, this.signal);
    this.edited = [...this.edited, made].slice(-MOST_EDITED);
    return made;
  }

  /** Returns the preview that an approval is for; null where its edited arguments have none yet, undefined where it names another one. */
  approvedBy(
    resolution: Extract<Resolution, { decision: 'approved' | 'edited' }>,
  ): MadePreview | null | undefined {
    const { digest } = resolution;
    const isShown = digest === undefined || digest === this.shown.digest;
    if (resolution.decision === 'approved') return isShown ? this.shown : undefined;
    if (isShown) return sameJson(this.shown.arguments, resolution.arguments) ? this.shown : null;
    return this.edited.find(
      (made) => made.digest === digest && sameJson(made.arguments, resolution.arguments),
    );
  }
}
