import { isSameJson, isWholeObject } from './same-json.js';

/**
 * The arguments of a call while their pieces arrive. Some servers send the whole text so far with each piece,
 * repeat the whole arguments after the pieces, or begin with an empty object. Arguments can contain a copy of
 * their own beginning, so only the end of the call tells which reading is right.
 */
export class ArgumentPieces {
  /** All pieces; or, if the server repeated the arguments, the repeated text. */
  text = '';
  /** The pieces before the piece that may begin the arguments anew. */
  private first = '';
  /** The pieces from the piece on that may begin the arguments anew; null if there is no such piece. */
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

  /**
   * True if there are no arguments yet, or only an empty object. Some servers send an empty object before the
   * model's arguments.
   */
  get isEmpty(): boolean {
    return /^\s*(?:\{\s*\})?\s*$/.test(this.text);
  }

  /** Returns the text that was not taken before and that no later piece can replace. */
  take(): string {
    return this.isEmpty || this.again !== null ? '' : this.rest();
  }

  /** Returns all text that was not taken before. Call it when no further piece arrives. */
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

  /** Returns true if the text begins with everything that was taken. */
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
