import { isSameJson, isWholeObject } from './same-json.js';

/**
 * The arguments of a call while their pieces arrive. Some servers send them as far as they are with each piece, repeat them whole behind their
 * pieces, or begin with an empty object. Arguments can hold their own beginning, so that only their end tells which of the readings is right.
 */
export class ArgumentPieces {
  /** All pieces, or the reading that took their place. */
  text = '';
  /** The pieces before one that may begin anew. */
  private first = '';
  /** The pieces from the one on that may begin anew; null without one. */
  private again: string | null = null;
  private taken = 0;

  add(piece: string): void {
    if (piece === '') return;
    if (beginsAnew(this.again ?? this.text, piece)) {
      if (this.again === null) this.first = this.text;
      this.again = piece;
    } else if (this.again !== null) this.again += piece;
    this.text += piece;
  }

  /** Sets the arguments to the text that the server repeated. */
  replace(text: string): void {
    this.text = text;
    this.again = null;
  }

  /** True while there are no arguments, or an empty object, which some servers send before those of the model. */
  get isEmpty(): boolean {
    return /^\s*(?:\{\s*\})?\s*$/.test(this.text);
  }

  /** What was not taken before, and what no later piece can replace. */
  take(): string {
    return this.isEmpty || this.again !== null ? '' : this.rest();
  }

  /** All that was not taken before: no further piece arrives. */
  end(): string {
    this.replace(this.whole());
    return this.rest();
  }

  /** The arguments, if no further piece arrives. */
  whole(): string {
    const { text, first, again } = this;
    if (again === null || isWholeObject(text)) return text;
    if (isWholeObject(again) && this.continues(again)) return again;
    const isRepetition = isWholeObject(first) && (first.startsWith(again) || isSameJson(first, again));
    return isRepetition ? first : text;
  }

  /** True when a text begins with everything that was taken. */
  continues(text: string): boolean {
    return text.startsWith(this.text.slice(0, this.taken));
  }

  private rest(): string {
    const rest = this.text.slice(this.taken);
    this.taken += rest.length;
    return rest;
  }
}

function beginsAnew(text: string, piece: string): boolean {
  if (text === '') return false;
  return (
    (piece.length >= text.length && piece.startsWith(text)) ||
    (piece.trimStart().startsWith('{') && isWholeObject(text))
  );
}
