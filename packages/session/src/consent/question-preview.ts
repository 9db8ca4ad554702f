import type { JsonObject } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import type { Resolution } from '../guards/decision.js';
import type { MadePreview } from './turn-previews.js';

/** The functions that make the previews of a question. */
export interface PreviewMaker {
  /** As {@link TurnPreviews.make}. */
  make(args: JsonObject, signal: AbortSignal, before?: MadePreview): Promise<MadePreview>;
  /** As {@link TurnPreviews.isOld}. */
  isOld(made: MadePreview): boolean;
}

/** How many previews of edited arguments are kept for an approval. */
const MOST_EDITED = 8;

/** The preview that a question shows, and the previews of arguments that the user edits. */
export class QuestionPreview {
  /** The previews of edited arguments, made after the shown preview; newest last. */
  private edited: readonly MadePreview[] = [];
  private isRenewing = false;

  constructor(
    private shown: MadePreview,
    private readonly maker: PreviewMaker,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * If something has happened since the preview was made, makes it again. Resolves with the new preview if it is different, otherwise with
   * null.
   */
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

  /**
   * Returns the approved preview; null if the edited arguments have no preview yet, undefined if the approval names an outdated preview.
   */
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
